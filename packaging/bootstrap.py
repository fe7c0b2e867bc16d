#!/usr/bin/env python3
"""From a fresh clone to a running Studio or a green test run, in one command.

    python3 packaging/bootstrap.py studio [ARGS]   set up .venv, then start the Studio
    python3 packaging/bootstrap.py test [ARGS]     set up .venv for development, then run every check
    python3 packaging/bootstrap.py test --full     the same with the optional extras (a download of some
                                                   gigabytes) and with the slow and optional tests

ARGS go to the Studio or to pytest; where they choose tests (-k, a path), these run before the static
checks. Exit codes: 0 ok, 1 a check failed, 2 the machine lacks something,
130 interrupted. Standard library only; any Python 3.8 or newer runs it.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import _system
from _checks import run_checks
from _console import EXIT_BAD_INPUT, EXIT_INTERRUPTED, SetupError, say
from _environment import Environment

ROOT = Path(__file__).resolve().parent.parent
STUDIO_EXTRAS = ("report", "studio")
TEST_EXTRAS = ("dev", "report", "studio")
FULL = "--full"
FULL_EXTRAS = (*TEST_EXTRAS, "learn", "pathtrace")
SCENE = Path("resources") / "fourdcb_resources" / "scenes" / "slide_cup"


def main(argv: list[str]) -> int:
    """Run a verb; returns the exit code."""
    verbs = {"studio": studio, "test": test}
    if argv and argv[0] in ("-h", "--help"):
        say((__doc__ or "").strip())
        return 0
    if not argv or argv[0] not in verbs:
        say((__doc__ or "").strip())
        return EXIT_BAD_INPUT
    try:
        return verbs[argv[0]](argv[1:])
    except (SetupError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED


def studio(arguments: list[str]) -> int:
    """Set up and start the Studio; without a screen, leave a picture and a report instead."""
    environment = _set_up(STUDIO_EXTRAS, for_windows=_system.has_display())
    if _system.has_display():
        return _run(environment, ["-m", "fourdcb_studio", *arguments], environment.variables())
    return _studio_without_screen(environment, arguments)


def test(arguments: list[str]) -> int:
    """Set up for development and run every check; pytest knows ``--full``, too."""
    extras = FULL_EXTRAS if FULL in arguments else TEST_EXTRAS
    return run_checks(_set_up(extras, for_windows=False), arguments)


def _set_up(extras: tuple[str, ...], *, for_windows: bool) -> Environment:
    """The environment with what it needs from the system; optional things are offered once."""
    environment = Environment(ROOT)
    if _system.on_linux():
        needed = dict(_system.QT, **(_system.QT_ON_X11 if for_windows else {}))
        _system.ensure_packages(_system.missing_packages(needed), purpose="the Studio")
        if not environment.holds(extras):
            _offer_optional(for_tests="dev" in extras)
    if environment.ensure(extras):
        environment.prepare_first_start(ROOT / SCENE)
    return environment


def _offer_optional(*, for_tests: bool) -> None:
    _system.offer_packages(_system.missing_packages(_system.QT_ON_X11), purpose="windows on a screen")
    _system.offer_packages(_system.missing_packages(_system.PDF), purpose="reports as PDF")
    _system.offer_packages(_system.missing_fonts(), purpose="Chinese, Japanese and Korean text")
    if for_tests:
        _system.offer_packages(_system.missing_test_tools(), purpose="the OpenGL tests")


def _studio_without_screen(environment: Environment, arguments: list[str]) -> int:
    say("There is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set): the Studio draws off screen.")
    env = dict(environment.variables(), QT_QPA_PLATFORM="offscreen")
    picture = [] if "--screenshot" in arguments else ["--screenshot", "studio.png"]
    status = _run(environment, ["-m", "fourdcb_studio", *arguments, *picture], env)
    if status == 0 and picture:
        say("Picture of the Studio: {}".format(Path.cwd() / "studio.png"))
    if status != 0 or arguments:
        return status
    cli = ["-c", "from fourdcb.cli import main; main()"]
    scene = ROOT / SCENE
    code = str(scene / "candidates" / "wrong_restitution.py")
    judge = ["eval", "--code", code, "--video", str(scene / "video.mp4")]
    status = _run(environment, [*cli, *judge, "--output", "report.json", "--html", "report.html"], env)
    if status in (0, 1):  # 1 is the verdict that this candidate deserves
        status, here = 0, Path.cwd()
        say("Verdict and metrics:   {}".format(here / "report.json"))
        say("The same to read:      {}".format(here / "report.html"))
    return status


def _run(environment: Environment, arguments: list[str], env: dict[str, str]) -> int:
    """Run the environment's Python in the caller's folder, to its end."""
    with subprocess.Popen([str(environment.python), *arguments], env=env) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                # The terminal sent it to the child as well: let it close its files, then report.
                child.wait()
                return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
