"""Finding the Python that the product runs on: 3.11, for which every binary dependency has a wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import _system
from _console import SetupError, say

WANTED = (3, 11)
_PROBE = "import json, sys; print(json.dumps([list(sys.version_info[:2]), sys.executable]))"


def find_interpreter() -> str:
    """Path of a Python 3.11 that can make virtual environments.

    Raises:
        SetupError: there is none, or it has no venv module; the message holds the line that mends it.
    """
    python = _first_wanted()
    if python is None and _system.can_install():
        python = _from_apt()
    if python is None:
        raise SetupError(_how_to_get())
    _require_venv(python)
    return python


def _first_wanted() -> str | None:
    base = getattr(sys, "_base_executable", None) or sys.executable
    if tuple(sys.version_info[:2]) == WANTED and base:
        return str(base)
    for command in _candidates():
        found = _probe(command)
        if found:
            return found
    return None


def _candidates() -> list[list[str]]:
    commands = [[path] for path in [shutil.which("python3.11"), shutil.which("python3")] if path]
    if os.name == "nt" and shutil.which("py"):
        commands.append(["py", "-3.11"])
    pyenv = Path(os.environ.get("PYENV_ROOT", str(Path.home() / ".pyenv")))
    commands += [[str(path)] for path in sorted(pyenv.glob("versions/3.11*/bin/python3.11"))]
    uv = Path.home() / ".local" / "share" / "uv" / "python"
    commands += [[str(path)] for path in sorted(uv.glob("cpython-3.11*/bin/python3.11"))]
    fixed = ["/usr/bin/python3.11", "/usr/local/bin/python3.11", "/opt/homebrew/bin/python3.11"]
    return commands + [[path] for path in fixed if Path(path).exists()]


def _probe(command: list[str]) -> str | None:
    """The executable behind a command when it is the wanted version, else None."""
    try:
        done = subprocess.run(
            [*command, "-c", _PROBE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=30,
            check=False,
        )
        version, executable = json.loads(done.stdout.decode() or "[null, null]")
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return str(executable) if version == list(WANTED) else None


def _from_apt() -> str | None:
    packages = ["python3.11", "python3.11-venv"]
    say("Installing system packages: {}".format(" ".join(packages)))
    try:
        _system.install_as_root(packages, line="apt-get install -y " + " ".join(packages))
    except SetupError:
        return None  # this release of the system has no Python 3.11; the caller says what else helps
    return _probe(["/usr/bin/python3.11"])


def _require_venv(python: str) -> None:
    def works() -> bool:
        probe = [python, "-c", "import venv, ensurepip"]
        return subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0

    if works():
        return
    line = "apt-get install -y python3.11-venv"
    if _system.can_install():
        say("Installing system packages: python3.11-venv")
        _system.install_as_root(["python3.11-venv"], line=line)
    if not works():
        raise SetupError(
            f"{python} cannot make virtual environments: its venv module is missing.\n"
            f"  On Debian or Ubuntu run: sudo {line}"
        )


def _how_to_get() -> str:
    mine = "{}.{}".format(*sys.version_info[:2])
    return (
        f"Python 3.11 is needed; this is Python {mine} and no 3.11 was found "
        "(PATH, pyenv, uv, the usual folders).\n"
        "  Debian 12:           sudo apt-get install -y python3.11 python3.11-venv\n"
        "  Ubuntu 22.04, 24.04: sudo add-apt-repository ppa:deadsnakes/ppa && "
        "sudo apt-get install -y python3.11 python3.11-venv\n"
        "  macOS:               brew install python@3.11\n"
        "  anywhere:            uv python install 3.11, or pyenv install 3.11"
    )
