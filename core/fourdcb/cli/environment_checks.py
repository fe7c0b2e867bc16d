"""What library, Studio and reports need from a machine, and the line that mends what is missing."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from fourdcb.cli.machine_check import Check
from fourdcb.errors import FourDCBError

_TIMEOUT = 120.0  # [s]
_INSTALL = "pip install -e '.[dev,studio,report]'"
_LIBRARIES = ("numpy", "scipy", "numba", "pybullet", "opencv-python-headless", "av", "trimesh", "ruamel.yaml",
              "jinja2", "cattrs", "coacd", "platformdirs", "psutil", "typer", "rich")  # fmt: skip
_QT_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libxkbcommon.so.0", "libdbus-1.so.3", "libfontconfig.so.1")
_XCB_LIBRARIES = ("libxcb-cursor.so.0", "libxkbcommon-x11.so.0", "libxcb-icccm.so.4", "libxcb-keysyms.so.1")
_QT_PACKAGES = (
    "sudo apt-get install -y libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1 libxcb-cursor0 "
    "libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)


def environment_checks() -> tuple[Check, ...]:
    """Looks for everything; never raises."""
    from fourdcb.cli.backend_checks import path_tracer_check, pytorch3d_check

    return (
        _python(), _packages(), _engine(), _codecs(), _threading_layer(), _cache_folder(),
        _temporary_folder(), _qt(), _opengl(), _fonts(), _pdf(), path_tracer_check(), pytorch3d_check(),
    )  # fmt: skip


def _python() -> Check:
    return Check(
        name="python",
        ok=sys.version_info[:2] == (3, 11),
        required=True,
        detail=f"{platform.python_version()} at {sys.executable}",
        mend="python3 packaging/bootstrap.py (pybullet has wheels up to CPython 3.11)",
    )


def _packages() -> Check:
    versions, missing = [], []
    for name in _LIBRARIES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    detail = f"not installed: {', '.join(missing)}" if missing else ", ".join(versions)
    return Check(name="packages", ok=not missing, required=True, detail=detail, mend=_INSTALL)


def _engine() -> Check:
    from fourdcb.physics.bullet.selfcheck import check_recipe

    problem = ""
    try:
        check_recipe()
    except FourDCBError as error:
        problem = str(error)
    return Check(
        name="physics engine",
        ok=not problem,
        required=True,
        detail=problem or "Bullet takes the contact settings",
        mend="pip install pybullet==3.2.7",
    )


def _codecs() -> Check:
    wanted = (("libx264", "w"), ("ffv1", "w"), ("h264", "r"), ("hevc", "r"), ("vp9", "r"), ("av1", "r"))
    try:
        import av
        import av.codec
    except ImportError as error:
        return Check(name="video codecs", ok=False, required=True, detail=str(error), mend="pip install av")
    missing = [f"{name} ({mode})" for name, mode in wanted if not _has_codec(av.codec.Codec, name, mode)]
    detail = f"PyAV {av.__version__}: " + (f"without {', '.join(missing)}" if missing else "all present")
    return Check(
        name="video codecs", ok=not missing, required=True, detail=detail,
        mend="pip install --force-reinstall --only-binary :all: av",
    )  # fmt: skip


def _has_codec(codec: type, name: str, mode: str) -> bool:
    try:
        codec(name, mode)
    except ValueError:  # PyAV's UnknownCodecError
        return False
    return True


def _threading_layer() -> Check:
    from importlib import import_module

    found = []
    for layer in ("tbbpool", "omppool", "workqueue"):
        try:
            import_module(f"numba.np.ufunc.{layer}")
        except ImportError:
            continue
        found.append(layer)
    safe = [layer for layer in found if layer != "workqueue"]
    return Check(
        name="numba threads",
        ok=bool(safe),
        required=False,
        detail=f"layers: {', '.join(found) or 'none'}",
        mend="sudo apt-get install -y libgomp1 (the built-in layer aborts when two threads draw)",
    )


def _cache_folder() -> Check:
    from platformdirs import user_cache_path

    folder = user_cache_path("fourdcb")
    return _writable("cache folder", folder, "set XDG_CACHE_HOME to a folder that can be written to")


def _temporary_folder() -> Check:
    return _writable("temporary folder", Path(tempfile.gettempdir()), "set TMPDIR to a writable folder")


def _writable(name: str, folder: Path, mend: str) -> Check:
    problem = ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"probe")
    except OSError as error:
        problem = f": {error}"
    return Check(name=name, ok=not problem, required=True, detail=f"{folder}{problem}", mend=mend)


def _qt() -> Check:
    missing = [*_absent(_QT_LIBRARIES), *(_absent(_XCB_LIBRARIES) if os.environ.get("DISPLAY") else ())]
    # In a process of its own: a broken Qt may abort, and the library must not load it.
    code = "import PySide6.QtWidgets as q, PySide6; print(PySide6.__version__)"
    try:
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        told = subprocess.CompletedProcess([], 1, "", f"does not load within {_TIMEOUT:.0f} s")
    ok = told.returncode == 0 and not missing
    lines = told.stderr.strip().splitlines()
    detail = f"PySide6 {told.stdout.strip()}" if told.returncode == 0 else (lines or ["does not load"])[-1]
    if missing:
        detail += f"; libraries not found: {', '.join(missing)}"
    mend = "pip install -e '.[studio]'" if "No module named" in detail else _QT_PACKAGES
    return Check(name="Qt (Studio)", ok=ok, required=False, detail=detail, mend=mend)


def _opengl() -> Check:
    missing = _absent(("libGL.so.1", "libEGL.so.1"))
    return Check(
        name="OpenGL (3D view)",
        ok=not missing,
        required=False,
        detail=f"libraries not found: {', '.join(missing)}" if missing else "libGL and libEGL load",
        mend="sudo apt-get install -y libgl1 libegl1 libgl1-mesa-dri",
    )


def _absent(names: tuple[str, ...]) -> list[str]:
    if not sys.platform.startswith("linux"):
        return []
    return list(_unloadable(names))


def _unloadable(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            yield name


def _fonts() -> Check:
    from importlib.resources import files

    folder = files("fourdcb_resources") / "fonts"
    faces = sorted(item.name for item in folder.iterdir() if item.name.endswith((".ttf", ".otf", ".ttc")))
    return Check(
        name="fonts",
        ok=bool(faces),
        required=False,
        detail=f"{len(faces)} bundled faces",
        mend="install the package again: its fonts are missing",
    )


def _pdf() -> Check:
    missing = _absent(("libpango-1.0.so.0", "libpangoft2-1.0.so.0"))
    try:
        version = metadata.version("weasyprint")
    except metadata.PackageNotFoundError:
        return Check(
            name="PDF reports", ok=False, required=False, detail="weasyprint is not installed",
            mend="pip install -e '.[report]'",
        )  # fmt: skip
    return Check(
        name="PDF reports",
        ok=not missing,
        required=False,
        detail=f"weasyprint {version}" + (f"; libraries not found: {', '.join(missing)}" if missing else ""),
        mend="sudo apt-get install -y libpango-1.0-0 libpangoft2-1.0-0",
    )
