"""Loads Mitsuba, and finds out in another process which of its variants works here."""

from __future__ import annotations

import logging
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from fourdcb.errors import MissingDependencyError, UserError

FAST_VARIANT, SAFE_VARIANT = "llvm_ad_rgb", "scalar_rgb"
# What to do where the fast one does not work.
MEND = "set DRJIT_LIBLLVM_PATH to another LLVM library, such as libLLVM 22"
_TIMEOUT = 120.0  # [s]
_log = logging.getLogger(__name__)

# A whole small picture: some LLVM versions load well and abort the process when a kernel is compiled, or
# never end. The watchdog ends it even when nobody waits any more.
_PROBE = """
import faulthandler, sys
faulthandler.dump_traceback_later(float(sys.argv[2]), exit=True)
import mitsuba as mi
mi.set_variant(sys.argv[1])
image = mi.render(mi.load_dict({
    "type": "scene", "integrator": {"type": "path", "hide_emitters": True},
    "sensor": {"type": "perspective", "film": {"type": "hdrfilm", "width": 8, "height": 8},
               "to_world": mi.ScalarTransform4f().look_at([0, 0, 4], [0, 0, 0], [0, 1, 0])},
    "ball": {"type": "sphere", "bsdf": {"type": "twosided", "inner": {"type": "principled", "eta": 1.5}}},
    "sky": {"type": "constant"}, "lamp": {"type": "point", "position": [2, 2, 2]}}), spp=4)
assert float(image.array[0]) >= 0.0
"""


def load_mitsuba(variant: str) -> Any:
    """The ``mitsuba`` module with a variant selected.

    Raises:
        UserError: for an unknown variant, and (MissingDependencyError) where there is no Mitsuba.
    """
    _require_mitsuba()
    import mitsuba

    if variant not in mitsuba.variants():
        raise UserError("no such Mitsuba variant", got=variant, expected=", ".join(mitsuba.variants()))
    mitsuba.set_variant(variant)
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba


@lru_cache(maxsize=1)
def usable_variant() -> str:
    """The vectorised variant where it works, else the scalar one, which always does but is slower.

    Raises:
        MissingDependencyError: when Mitsuba is not installed.
    """
    _require_mitsuba()
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, FAST_VARIANT, str(_TIMEOUT)],
            capture_output=True, check=False, timeout=_TIMEOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        works = False
    else:
        works = done.returncode == 0
    if not works:
        _log.info("%s does not work on this machine; tracing with %s", FAST_VARIANT, SAFE_VARIANT)
    return FAST_VARIANT if works else SAFE_VARIANT


def _require_mitsuba() -> None:
    if find_spec("mitsuba") is None:
        raise MissingDependencyError("mitsuba", extra="pathtrace", purpose="the path tracer")
