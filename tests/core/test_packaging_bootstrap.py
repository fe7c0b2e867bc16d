"""The one-command set-up: what it reuses, what it redoes, and what it says when something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SETUP_MODULES = ("_console", "_lock", "_system", "_interpreter", "_environment", "_checks", "bootstrap")


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    import importlib

    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    try:
        yield {name: importlib.import_module(name) for name in SETUP_MODULES}
    finally:
        for name in SETUP_MODULES:
            sys.modules.pop(name, None)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository in a path with a space, with a pyproject of its own."""
    root = tmp_path / "my clone"
    root.mkdir()
    (root / "pyproject.toml").write_text('[project]\nname = "x"\n[tool.ruff]\nline-length = 1\n')
    return root


@pytest.fixture
def installs(modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that would have run pip; each succeeds. Environments are made without the venv module."""
    calls: list[list[str]] = []

    def create(environment: Any) -> None:
        environment.python.parent.mkdir(parents=True)
        environment.python.symlink_to(sys.executable)
        (environment.python.parent / "activate").write_text(f"VIRTUAL_ENV={environment.folder}")

    def record(command: list[str], **_: object) -> int:
        calls.append(command)
        return 0

    monkeypatch.setattr(modules["_environment"], "run_logged", record)
    monkeypatch.setattr(modules["_environment"].Environment, "_create", create)
    return calls


def test_second_run_reuses_the_environment(
    modules: dict[str, ModuleType], clone: Path, installs: list[list[str]]
) -> None:
    environment = modules["_environment"].Environment(clone)
    environment.ensure(("studio", "dev"))
    environment.ensure(("studio",))
    assert len(installs) == 1
    assert installs[0][-2:] == ["-e", f"{clone}[dev,studio]"]


def test_new_extras_and_new_dependencies_install_again_linter_settings_do_not(
    modules: dict[str, ModuleType], clone: Path, installs: list[list[str]]
) -> None:
    environment = modules["_environment"].Environment(clone)
    environment.ensure(("studio",))
    environment.ensure(("dev",))
    assert installs[-1][-1] == f"{clone}[dev,studio]"
    pyproject = clone / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("line-length = 1", "line-length = 2"))
    environment.ensure(("dev",))
    assert len(installs) == 2
    pyproject.write_text(pyproject.read_text().replace('name = "x"', 'name = "x"\ndependencies = ["numpy"]'))
    environment.ensure(("dev",))
    assert len(installs) == 3


@pytest.mark.parametrize("status", [0, 1])
def test_the_first_start_is_prepared_and_its_failure_stops_nothing(
    modules: dict[str, ModuleType],
    clone: Path,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls: list[tuple[list[str], dict[str, str]]] = []

    def record(command: list[str], *, env: dict[str, str], **_: object) -> int:
        calls.append((command, env))
        return status

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setattr(modules["_environment"], "run_logged", record)
    modules["_environment"].Environment(clone).prepare_first_start(clone / "scene")
    ((command, env),) = calls
    assert Path(command[1]).is_file()
    assert command[2] == str(clone / "scene")
    assert "PYTHONDONTWRITEBYTECODE" not in env
    assert ("takes longer" in capsys.readouterr().out) == (status != 0)


def test_interrupted_install_starts_afresh(
    modules: dict[str, ModuleType],
    clone: Path,
    installs: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environment = modules["_environment"].Environment(clone)
    recorder = modules["_environment"].run_logged

    def interrupt(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(modules["_environment"], "run_logged", interrupt)
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(("studio",))
    half_installed = environment.folder / "half-installed"
    half_installed.touch()

    monkeypatch.setattr(modules["_environment"], "run_logged", recorder)
    environment.ensure(("studio",))
    assert not half_installed.exists()
    assert "did not finish" in capsys.readouterr().out
    environment.ensure(("studio",))
    assert len(installs) == 1


def test_a_second_set_up_waits_for_the_first(
    modules: dict[str, ModuleType],
    clone: Path,
    installs: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = (modules["_environment"].Environment(clone) for _ in range(2))
    recorder = modules["_environment"].run_logged
    waiting = threading.Thread(target=second.ensure, args=(("studio",),))
    told = threading.Event()

    def meanwhile(command: list[str], **arguments: object) -> int:
        waiting.start()
        assert told.wait(timeout=60)
        return int(recorder(command, **arguments))

    monkeypatch.setattr(modules["_lock"], "say", lambda _: told.set())
    monkeypatch.setattr(modules["_environment"], "run_logged", meanwhile)
    assert first.ensure(("studio",))
    waiting.join(timeout=60)
    assert "starting afresh" not in capsys.readouterr().out
    assert len(installs) == 1


def test_moved_repository_gets_a_new_environment(
    modules: dict[str, ModuleType], clone: Path, installs: list[list[str]]
) -> None:
    modules["_environment"].Environment(clone).ensure(("studio",))
    moved = clone.with_name("moved")
    shutil.move(str(clone), str(moved))
    environment = modules["_environment"].Environment(moved)
    environment.ensure(("studio",))
    assert len(installs) == 2
    assert str(moved) in (environment.python.parent / "activate").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("NewConnectionError: Temporary failure in name resolution", "cannot be reached"),
        ("error: something else", "something else"),
    ],
)
def test_pip_failures_are_told_plainly(
    modules: dict[str, ModuleType],
    clone: Path,
    installs: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    said: str,
) -> None:
    def fail(_: list[str], *, log: Path, **__: object) -> int:
        log.write_text(words)
        return 1

    monkeypatch.setattr(modules["_environment"], "run_logged", fail)
    with pytest.raises(modules["_console"].SetupError, match=said):
        modules["_environment"].Environment(clone).ensure(("studio",))


def test_missing_packages_are_named_in_one_line_that_can_be_run(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    system = modules["_system"]
    libraries = {"libc6": "libc.so.6", "libnothing9": "libnothing.so.9"}
    if not system.on_linux():
        pytest.skip("system libraries are a Linux matter")
    assert system.missing_packages(libraries) == ["libnothing9"]
    monkeypatch.setattr(system, "_is_debian", lambda: True)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(modules["_console"].SetupError, match=r"sudo apt-get install -y .* libnothing9"):
        system.ensure_packages(["libnothing9"], purpose="the Studio")


def test_optional_packages_never_stop_the_set_up(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    system = modules["_system"]

    def refuse(*_: object, **__: object) -> None:
        raise modules["_console"].SetupError("no network")

    monkeypatch.setattr(system, "install_as_root", refuse)
    for free in (True, False):
        monkeypatch.setattr(system, "can_install", lambda free=free: free)
        monkeypatch.setattr(os, "geteuid", lambda free=free: 0 if free else 1000)
        system.offer_packages(["fonts-nothing"], purpose="text")
        assert "Optional, for text: apt-get install fonts-nothing" in capsys.readouterr().out
    system.offer_packages([], purpose="text")
    assert capsys.readouterr().out == ""


def test_wrong_python_is_refused_with_a_way_out(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter = modules["_interpreter"]
    monkeypatch.setattr(interpreter, "_first_wanted", lambda: None)
    monkeypatch.setattr(modules["_system"], "can_install", lambda: False)
    with pytest.raises(modules["_console"].SetupError, match=r"Python 3\.11 is needed"):
        interpreter.find_interpreter()


def test_interrupt_and_bad_verb_have_their_exit_codes(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = modules["bootstrap"]

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "_set_up", interrupt)
    assert bootstrap.main(["studio"]) == 130
    assert bootstrap.main(["paint"]) == 2
    assert bootstrap.main(["--help"]) == 0


def test_full_mode_asks_for_the_optional_extras_and_tells_pytest(
    modules: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap = modules["bootstrap"]
    asked: list[tuple[str, ...]] = []
    given: list[list[str]] = []

    def set_up(extras: tuple[str, ...], **_: object) -> None:
        asked.append(extras)

    def run_checks(_environment: None, arguments: list[str]) -> int:
        given.append(arguments)
        return 0

    monkeypatch.setattr(bootstrap, "_set_up", set_up)
    monkeypatch.setattr(bootstrap, "run_checks", run_checks)
    assert bootstrap.main(["test"]) == 0
    assert bootstrap.main(["test", "--full", "tests/core"]) == 0
    assert not {"learn", "pathtrace"} & set(asked[0])
    assert set(asked[0]) | {"learn", "pathtrace"} == set(asked[1])
    assert given == [[], ["--full", "tests/core"]]


def test_slow_and_optional_tests_run_in_full_mode_only(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_marks.py").write_text(
        "import pytest\n"
        "@pytest.mark.slow\ndef test_slow() -> None: pass\n"
        "@pytest.mark.optional\ndef test_optional() -> None: pass\n"
        "def test_quick() -> None: pass\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow: x\n  optional: x\n")

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    usual = run()
    assert "1 passed, 2 skipped" in usual
    assert "takes long; run with --full" in usual
    assert "needs an optional extra; run with --full" in usual
    assert "3 passed" in run("--full")


def test_log_keeps_the_noise_and_returns_the_status(modules: dict[str, ModuleType], tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-c", "import sys; print('noise'); sys.exit(3)"]
    assert modules["_console"].run_logged(command, log=log, cwd=tmp_path) == 3
    assert "noise" in modules["_console"].last_lines(log, 1)


def test_runs_on_old_pythons() -> None:
    """The set-up must at least start on whatever ``python3`` a machine has, to say what is missing."""
    version = (3, 8)
    import ast

    for path in (ROOT / "packaging").glob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=version)
        assert "from __future__ import annotations" in path.read_text(encoding="utf-8")


def test_workers_are_used_unless_steered(modules: dict[str, ModuleType]) -> None:
    parallel = modules["_checks"]._parallel
    if (os.cpu_count() or 1) > 1:
        assert parallel(["tests/core"]) == ["-n", "2", "--dist", "loadfile"]
    assert parallel(["-n", "4"]) == []
    assert parallel(["--pdb"]) == []


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ([], "ruff check"),
        (["--full", "-n", "4"], "ruff check"),
        (["-k", "presets"], "pytest"),
        (["tests/core"], "pytest"),
        (["tests/core/test_x.py::test_y", "-q"], "pytest"),
    ],
)
@pytest.mark.parametrize(
    ("broken", "status"), [((), 0), (("mypy",), 1), (("pytest",), 5), (("mypy", "pytest"), 5)]
)
def test_chosen_tests_run_before_the_checks_and_all_count(
    modules: dict[str, ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    first: str,
    broken: tuple[str, ...],
    status: int,
) -> None:
    checks = modules["_checks"]
    (tmp_path / "tests" / "core").mkdir(parents=True)
    (tmp_path / "tests" / "core" / "test_x.py").touch()
    called: list[str] = []

    def call(_environment: object, command: list[str], _env: dict[str, str]) -> int:
        named = [name for name, known in checks.CHECKS if known == command]
        called.append(named[0] if named else command[1])
        return 5 if called[-1] in broken else 0

    monkeypatch.setattr(checks, "_call", call)
    monkeypatch.setenv("DISPLAY", ":0")
    environment = SimpleNamespace(root=tmp_path, variables=dict)
    assert checks.run_checks(environment, arguments) == status
    assert called[0] == first
    assert sorted(called) == sorted(["pytest", *(name for name, _ in checks.CHECKS)])


def test_a_real_environment_is_made_and_runs(modules: dict[str, ModuleType], clone: Path) -> None:
    environment = modules["_environment"].Environment(clone)
    environment._create()
    assert environment._has_pip()
    assert environment._is_ours()
