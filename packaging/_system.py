"""The system libraries that Qt, OpenGL and the PDF writer load, and how to get them on Debian and Ubuntu."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from _console import SetupError, say

# Debian package -> the shared library by which its presence is known.
QT = {
    "libegl1": "libEGL.so.1",
    "libgl1": "libGL.so.1",
    "libdbus-1-3": "libdbus-1.so.3",
    "libfontconfig1": "libfontconfig.so.1",
    "libglib2.0-0": "libglib-2.0.so.0",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libx11-6": "libX11.so.6",
    "libgomp1": "libgomp.so.1",
}
QT_ON_X11 = {
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
    "libx11-xcb1": "libX11-xcb.so.1",
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-image0": "libxcb-image.so.0",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-randr0": "libxcb-randr.so.0",
    "libxcb-render-util0": "libxcb-render-util.so.0",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxcb-sync1": "libxcb-sync.so.1",
    "libxcb-xfixes0": "libxcb-xfixes.so.0",
    "libxcb-xkb1": "libxcb-xkb.so.1",
}
_TEST_TOOLS = {"xvfb": "Xvfb", "xdotool": "xdotool"}
_GL_DRIVERS = ("dri/swrast_dri.so", "libgallium-*.so")
_CJK_FACES = ("**/*CJK*", "**/DroidSansFallback*", "**/wqy-*")
PDF = {"libpango-1.0-0": "libpango-1.0.so.0", "libpangoft2-1.0-0": "libpangoft2-1.0.so.0"}


def on_linux() -> bool:
    """Whether system libraries are this module's business at all."""
    return sys.platform.startswith("linux")


def has_display() -> bool:
    """Whether a window can be shown (always true off Linux)."""
    return not on_linux() or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def missing_packages(libraries: dict[str, str]) -> list[str]:
    """Debian packages among the keys of ``libraries`` whose shared library does not load."""
    return [package for package, soname in libraries.items() if not _loads(soname)]


def missing_test_tools() -> list[str]:
    """Debian packages of what the tests of the screen want: a virtual one, a keyboard, a software driver."""
    missing = [package for package, tool in _TEST_TOOLS.items() if shutil.which(tool) is None]
    folders = [Path("/usr/lib"), Path("/usr/lib64"), Path("/usr/lib/" + os.uname().machine + "-linux-gnu")]
    return missing if _any_file(folders, _GL_DRIVERS) else [*missing, "libgl1-mesa-dri"]


def missing_fonts() -> list[str]:
    """Debian package of a face for Chinese, Japanese and Korean text, when the system has none."""
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts"]
    return [] if _any_file(folders, _CJK_FACES) else ["fonts-droid-fallback"]


def ensure_packages(packages: Sequence[str], *, purpose: str) -> None:
    """Install Debian packages, or say exactly how to.

    Raises:
        SetupError: they cannot be installed from here.
    """
    if not packages:
        return
    line = "apt-get install -y --no-install-recommends " + " ".join(packages)
    if not _is_debian():
        raise SetupError(
            "{} needs system libraries that this machine lacks.\n"
            "  On Debian or Ubuntu they are the packages: {}\n"
            "  Install their equivalents with your package manager, then run this again.".format(
                purpose, " ".join(packages)
            )
        )
    if os.geteuid() != 0:
        raise SetupError(f"{purpose} needs system packages. Run:\n  sudo {line}")
    say("Installing system packages: {}".format(" ".join(packages)))
    install_as_root(packages, line=line)


def install_as_root(packages: Sequence[str], *, line: str) -> None:
    """``apt-get update`` and install; raises SetupError with apt's own words."""
    update = _updated()
    install = _apt(["install", "-y", "-q", "--no-install-recommends", *packages])
    if install.returncode != 0:
        output = (install.stdout if update.returncode == 0 else update.stdout + install.stdout).strip()
        tail = "\n".join("    " + text for text in output.splitlines()[-8:])
        raise SetupError(f"apt-get could not install the packages.\n{tail}\n  The line was: {line}")


def offer_packages(packages: Sequence[str], *, purpose: str) -> None:
    """Install what is good to have where that is free to do; otherwise say what it would be."""
    if not packages:
        return
    if can_install():
        try:
            return ensure_packages(packages, purpose=purpose)
        except SetupError as error:
            say(str(error))
    say("Optional, for {}: apt-get install {}".format(purpose, " ".join(packages)))


def can_install() -> bool:
    """Whether packages can be installed without asking anybody."""
    return on_linux() and _is_debian() and os.geteuid() == 0


@lru_cache(maxsize=1)
def _updated() -> subprocess.CompletedProcess[str]:
    """Result of ``apt-get update``, which one set-up runs once."""
    return _apt(["update", "-q"])


def _apt(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["apt-get", *arguments],
        env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _is_debian() -> bool:
    return Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def _any_file(folders: Sequence[Path], patterns: Sequence[str]) -> bool:
    return any(next(folder.glob(pattern), None) for folder in folders for pattern in patterns)


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True
