"""What the set-up says, how it fails and how it runs other programs. Standard library only."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

EXIT_BAD_INPUT, EXIT_INTERRUPTED = 2, 130


class SetupError(Exception):
    """The machine lacks something; the message says what and what to do."""


def say(text: str) -> None:
    """One line, at once: the output of child programs must not overtake it."""
    print(text, flush=True)


def run_logged(command: list[str], *, log: Path, env: dict[str, str] | None = None, cwd: Path) -> int:
    """Run a noisy command with its output appended to ``log``; shows elapsed seconds on a terminal.

    Returns:
        The exit status. The child is ended when this process is interrupted.
    """
    started = time.monotonic()
    with log.open("ab") as stream:
        stream.write(("$ " + " ".join(command) + "\n").encode())
        stream.flush()
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT, env=env, cwd=str(cwd)
        ) as child:
            try:
                while True:
                    try:
                        return child.wait(timeout=1.0)
                    except subprocess.TimeoutExpired:
                        _show_elapsed(time.monotonic() - started)
            except BaseException:
                child.terminate()
                raise
            finally:
                _clear_elapsed()


def last_lines(log: Path, count: int) -> str:
    """The end of a log, indented, for an error message."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join("    " + line for line in lines[-count:])


def _show_elapsed(seconds: float) -> None:
    if sys.stdout.isatty():
        print(f"\r  {seconds:.0f} s", end="", flush=True)


def _clear_elapsed() -> None:
    if sys.stdout.isatty():
        print("\r" + " " * 12 + "\r", end="", flush=True)
