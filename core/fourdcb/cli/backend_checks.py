"""What the optional renderers need, and the line that mends what is missing."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec

from fourdcb.cli.machine_check import Check
from fourdcb.errors import MissingDependencyError

_TIMEOUT = 120.0  # [s]
# In a process of its own: a wheel for another torch may abort, and loading torch takes long.
_PROBE = """
import torch, pytorch3d.renderer.mesh.rasterize_meshes
print(torch.__version__, "CUDA" if torch.cuda.is_available() else "CPU")
"""


def path_tracer_check() -> Check:
    """Whether the path tracer works, and by which variant of Mitsuba."""
    from fourdcb.render.pathtrace.variant import FAST_VARIANT, MEND, usable_variant

    mend = "pip install -e '.[pathtrace]'"
    try:
        variant = usable_variant()
    except MissingDependencyError:
        return Check(
            name="path tracer", ok=False, required=False, detail="mitsuba is not installed", mend=mend
        )
    slow = "" if variant == FAST_VARIANT else f" (slower; {FAST_VARIANT} does not work here: {MEND})"
    detail = f"mitsuba {metadata.version('mitsuba')}, {variant}{slow}"
    return Check(name="path tracer", ok=True, required=False, detail=detail, mend=mend)


def pytorch3d_check() -> Check:
    """Whether torch and PyTorch3D are there and load together."""
    missing = [name for name in ("torch", "pytorch3d") if find_spec(name) is None]
    if missing:
        ok, detail = False, f"not installed: {', '.join(missing)}"
    else:
        ok, detail = _loads_pytorch3d()
    return Check(
        name="pytorch3d renderer", ok=ok, required=False, detail=detail, mend="pip install -e '.[learn]'"
    )


def _loads_pytorch3d() -> tuple[bool, str]:
    try:
        told = subprocess.run(
            [sys.executable, "-c", _PROBE], capture_output=True, text=True, check=False, timeout=_TIMEOUT,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False, f"does not load within {_TIMEOUT:.0f} s"
    if told.returncode == 0:
        return True, f"torch {told.stdout.strip()}"
    lines = told.stderr.strip().splitlines()
    return False, lines[-1] if lines else "does not load"
