"""Light imports, and nothing in the repository that belongs to somebody's machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = [
    *("torch", "mitsuba", "numba", "scipy", "cv2", "av", "pybullet", "jinja2", "trimesh", "PySide6"),
    *("ruamel", "mujoco", "sklearn", "skimage", "weasyprint"),
]
ROOMS = sorted(path.parent.name for path in (ROOT / "core" / "fourdcb").glob("*/__init__.py"))

# Spelled in pieces so that this file does not find itself.
MACHINE_MARKS = [
    re.compile(pattern)
    for pattern in (
        r"(?<![\w.])/(?:work|farm|root|home/[a-z]+)" + r"/(?!\.\.\.)",
        r"/opt/" + r"(?:pypi|wheels)",
        r"\b(?:files\.python" + r"hosted|registry\.npm" + r"js)\b",
        r"\b(?:TO" + r"DO|FIX" + r"ME|X" + r"XX)\b",
    )
]


def test_importing_any_room_loads_no_heavy_package() -> None:
    code = (
        "import importlib, json, sys\n"
        "loaded = {}\n"
        f"for name in ['fourdcb', *('fourdcb.' + room for room in {ROOMS!r})]:\n"
        "    importlib.import_module(name)\n"
        f"    loaded[name] = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "print(json.dumps(loaded))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout)
    assert len(loaded) > 10
    assert {name: heavy for name, heavy in loaded.items() if heavy} == {}


def test_help_answers_without_loading_a_room() -> None:
    code = (
        "import sys\n"
        "from fourdcb.cli import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "except SystemExit as end:\n"
        "    assert not end.code, end.code\n"
        f"print('LOADED', [m for m in {[*HEAVY, 'numpy']!r} if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "eval" in done.stdout
    assert done.stdout.rstrip().endswith("LOADED []")


def _text_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    binary = {".ttf", ".png", ".mp4", ".npz", ".ico", ".jpg", ".gif", ".webm", ".glb", ".stl"}
    paths = [ROOT / name for name in listing.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in binary]


def test_repository_names_no_machine() -> None:
    hits = [
        f"{path.relative_to(ROOT)}: {match.group(0)}"
        for path in _text_files()
        for pattern in MACHINE_MARKS
        for match in pattern.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert hits == []


def test_source_files_stay_readable() -> None:
    """No file passes 500 lines."""
    long = {
        str(path.relative_to(ROOT)): count
        for path in _text_files()
        if path.suffix == ".py" and "scenes" not in path.parts
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 500
    }
    assert long == {}
