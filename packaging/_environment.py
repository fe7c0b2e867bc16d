"""The virtual environment: made once, stamped with what it was made from, reused while that is unchanged."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from _console import SetupError, last_lines, run_logged, say
from _interpreter import find_interpreter
from _lock import alone_in

FORMAT = 1
_DECISIVE_SECTIONS = ("[build-system", "[project", "[tool.hatch")
_OFFLINE = (
    "NewConnectionError",
    "name resolution",
    "Network is unreachable",
    "Max retries",
    "ConnectTimeout",
)


class Environment:
    """``.venv`` under the root of the repository.

    Attributes:
        root: the repository.
        folder: the environment.
        python: its interpreter.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        scripts = "Scripts" if os.name == "nt" else "bin"
        self.python = self.folder / scripts / ("python.exe" if os.name == "nt" else "python")
        self._stamp = self.folder / "fourdcb-setup.json"
        self._unfinished = self.folder / "fourdcb-setup.unfinished"
        self._log = self.folder / "fourdcb-setup.log"

    def ensure(self, extras: Iterable[str]) -> bool:
        """Make the environment hold the product with these extras; does nothing when it does already.

        Returns:
            Whether anything was installed.

        Raises:
            SetupError: no interpreter, no network, no space, or pip failed.
        """
        wanted = set(extras)
        if self.holds(wanted):
            return False
        with alone_in(self.root):
            if self.holds(wanted):  # the set-up that was waited for did it
                return False
            installed = self._installed_extras()
            self._discard_if_broken()
            if not self.python.exists():
                self._create()
            self._install(wanted | (installed or set()))
        return True

    def holds(self, extras: Iterable[str]) -> bool:
        """Whether it is complete and current and has these extras."""
        installed = self._installed_extras()
        return installed is not None and set(extras) <= installed

    def prepare_first_start(self, scene: Path) -> None:
        """Compile what would make the first start slow, by judging ``scene``. Costs only time if it fails."""
        say("Compiling the renderer's kernels, once (about half a minute) …")
        env = self.variables()
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        script = Path(__file__).resolve().parent / "_first_start.py"
        if (
            run_logged([str(self.python), str(script), str(scene)], log=self._log, env=env, cwd=self.root)
            != 0
        ):
            say(f"That did not work; the first judgement takes longer (details: .venv/{self._log.name}).")

    def variables(self) -> dict[str, str]:
        """Process environment in which nothing outside the environment is imported."""
        env = {key: value for key, value in os.environ.items() if key not in ("PYTHONHOME", "PYTHONPATH")}
        env.update(VIRTUAL_ENV=str(self.folder), PYTHONUNBUFFERED="1")
        env["PATH"] = str(self.python.parent) + os.pathsep + env.get("PATH", "")
        return env

    def _key(self) -> str:
        """Changes with everything that an install depends on."""
        parts = [str(FORMAT), str(self.root), *_decisive_lines(self.root / "pyproject.toml")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _installed_extras(self) -> set[str] | None:
        """Extras of a complete, current environment, or None."""
        if self._unfinished.exists() or not self.python.exists():
            return None
        try:
            stamp = json.loads(self._stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(stamp, dict) or stamp.get("key") != self._key():
            return None
        return set(stamp["extras"])

    def _discard_if_broken(self) -> None:
        """An install that was cut off may look complete to pip: start afresh."""
        if not self.folder.exists():
            return
        if self._unfinished.exists():
            say("An earlier set-up did not finish; starting afresh.")
        elif self.python.exists() and self._has_pip() and self._is_ours():
            return
        else:
            say("The environment in .venv does not work here; making a new one.")
        shutil.rmtree(str(self.folder))

    def _has_pip(self) -> bool:
        probe = [str(self.python), "-c", "import pip, sys; sys.exit(sys.version_info[:2] != (3, 11))"]
        try:
            return subprocess.run(probe, stderr=subprocess.DEVNULL, check=False).returncode == 0
        except OSError:
            return False

    def _is_ours(self) -> bool:
        """Whether the scripts point into this folder: a repository that was moved breaks them."""
        activate = self.python.parent / "activate"
        try:
            return str(self.folder) in activate.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False

    def _create(self) -> None:
        interpreter = find_interpreter()
        say(f"Making the environment .venv with {interpreter}")
        self.folder.mkdir()
        self._unfinished.touch()
        done = subprocess.run(
            [interpreter, "-m", "venv", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            shutil.rmtree(str(self.folder), ignore_errors=True)
            raise SetupError("the environment could not be made:\n" + done.stdout.strip())

    def _install(self, extras: set[str]) -> None:
        say(f"Installing packages (some minutes the first time; details: .venv/{self._log.name}) …")
        self._unfinished.touch()
        self._stamp.unlink(missing_ok=True)
        target = "{}[{}]".format(self.root, ",".join(sorted(extras)))
        command = [
            str(self.python),
            "-m",
            "pip",
            "install",
            "--no-compile",
            "--no-warn-script-location",
            "-e",
            target,
        ]
        env = dict(self.variables(), PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_USER="0")
        self._log.write_bytes(b"")
        status = run_logged(command, log=self._log, env=env, cwd=self.root)
        if status != 0:
            self._fail()
        stamp = {"key": self._key(), "extras": sorted(extras)}
        temporary = self._stamp.with_suffix(".part")
        temporary.write_text(json.dumps(stamp), encoding="utf-8")
        os.replace(str(temporary), str(self._stamp))
        self._unfinished.unlink()

    def _fail(self) -> None:
        text = self._log.read_text(encoding="utf-8", errors="replace")
        if "No space left on device" in text:
            raise SetupError("the disk is full; free about 3 GB (10 GB for test --full) and run this again")
        self._unfinished.unlink()  # pip ended by itself and left whole packages
        if any(word in text for word in _OFFLINE):
            raise SetupError("the package index cannot be reached; check the network and run this again")
        raise SetupError(f"pip failed:\n{last_lines(self._log, 12)}\n  All of it: {self._log}")


def _decisive_lines(pyproject: Path) -> list[str]:
    """Lines of the sections that change what gets installed; linters' settings do not."""
    lines: list[str] = []
    decisive = False
    for line in pyproject.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            decisive = line.startswith(_DECISIVE_SECTIONS)
        if decisive and line.strip():
            lines.append(line.rstrip())
    return lines
