"""Everything that must hold before a change lands: style, types, layers, tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from _console import say
from _environment import Environment

CHECKS = (
    ("ruff check", ["-m", "ruff", "check", "."]),
    ("ruff format", ["-m", "ruff", "format", "--check", "."]),
    ("mypy", ["-m", "mypy"]),
    ("import layers", ["-c", "from importlinter.cli import lint_imports_command as main; main()"]),
)


def run_checks(environment: Environment, pytest_arguments: list[str]) -> int:
    """Run all checks, then pytest, whose closing line comes last; chosen tests run before the checks.

    Returns:
        pytest's own status; where that is 0, 1 when a check failed.
    """
    env = dict(environment.variables(), QT_QPA_PLATFORM=os.environ.get("QT_QPA_PLATFORM", "offscreen"))
    env.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the commands do: its threads spin while they wait
    if selects_tests(environment.root, pytest_arguments):
        status = _pytest(environment, pytest_arguments, env)
        failed = _failed_checks(environment, env)
        tests = "the tests passed" if status == 0 else f"the tests FAILED (exit code {status})"
        checks = "FAILED: {}".format(", ".join(failed)) if failed else "the static checks passed"
        say(f"== {tests}; {checks}")
    else:
        failed = _failed_checks(environment, env)
        if failed:
            say("FAILED before the tests: {}; the tests run all the same.".format(", ".join(failed)))
        status = _pytest(environment, pytest_arguments, env)
    return status or (1 if failed else 0)


def selects_tests(root: Path, arguments: list[str]) -> bool:
    """Whether arguments of pytest choose some of the tests: by ``-k`` or ``-m``, or by a path."""
    chosen = (text.startswith(("-k", "-m", "--lf", "--last-failed", "--deselect")) for text in arguments)
    paths = (text.partition("::")[0] for text in arguments if not text.startswith("-"))
    return any(chosen) or any(path and (root / path).exists() for path in paths)


def _failed_checks(environment: Environment, env: dict[str, str]) -> list[str]:
    return [name for name, command in CHECKS if not _passes(environment, name, command, env)]


def _pytest(environment: Environment, arguments: list[str], env: dict[str, str]) -> int:
    with _virtual_screen(env):
        return _call(environment, ["-m", "pytest", *_parallel(arguments), *arguments], env)


def _passes(environment: Environment, name: str, command: list[str], env: dict[str, str]) -> bool:
    say(f"== {name}")
    return _call(environment, command, env) == 0


def _call(environment: Environment, command: list[str], env: dict[str, str]) -> int:
    root = str(environment.root)
    return subprocess.call([str(environment.python), *command], env=env, cwd=root, stdin=subprocess.DEVNULL)


def _parallel(arguments: list[str]) -> list[str]:
    """Two workers, a file each, unless the caller steers that; one file alone gains nothing."""
    steered = any(text.startswith(("-n", "--numprocesses", "--pdb", "-p", "--dist")) for text in arguments)
    return [] if steered or (os.cpu_count() or 1) < 2 else ["-n", "2", "--dist", "loadfile"]


@contextlib.contextmanager
def _virtual_screen(env: dict[str, str]) -> Iterator[None]:
    """An X server for the OpenGL tests where there is no screen; sets DISPLAY in ``env``."""
    xvfb = shutil.which("Xvfb")
    if env.get("DISPLAY") or xvfb is None:
        yield
        return
    reader, writer = os.pipe()
    command = [xvfb, "-displayfd", str(writer), "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        command,
        pass_fds=[writer],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if number:
            env["DISPLAY"] = ":" + number
        yield
    finally:
        server.terminate()
        server.wait()
