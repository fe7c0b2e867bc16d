"""What gets shipped: the wheel holds exactly the three packages' files, and nothing else on top."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE_ROOTS = {"core": "fourdcb", "studio": "fourdcb_studio", "resources": "fourdcb_resources"}


def _tracked(*folders: str) -> list[str]:
    """Files that git knows or would add (work in progress counts), relative to the root."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [name for name in listing.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    pytest.importorskip("hatchling", reason="the build backend is in the dev extra")
    folder = tmp_path_factory.mktemp("wheel")
    before = set(_tracked(*SOURCE_ROOTS))
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if before != set(_tracked(*SOURCE_ROOTS)):
        pytest.skip("files came or went while the wheel was built")
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_exactly_the_files_of_the_three_packages(wheel_names: set[str]) -> None:
    expected = {
        name.split("/", 1)[1]
        for root, package in SOURCE_ROOTS.items()
        for name in _tracked(f"{root}/{package}")
    }
    shipped = {name for name in wheel_names if ".dist-info/" not in name}
    assert shipped == expected


def test_no_folder_of_the_repository_becomes_an_import_name(wheel_names: set[str]) -> None:
    tops = {name.split("/", 1)[0] for name in wheel_names if ".dist-info/" not in name}
    assert tops == set(SOURCE_ROOTS.values())


def test_command_is_declared(wheel_names: set[str]) -> None:
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel_names)


@pytest.mark.parametrize("folder", ["packaging", "tests", "core", "studio", "resources"])
def test_plain_folders_are_no_packages(folder: str) -> None:
    """A root folder ``packaging`` with an ``__init__`` would shadow PyPA's; tests use importlib mode."""
    found = [name for name in _tracked(folder) if name.endswith("__init__.py")]
    packages = {f"{root}/{package}/" for root, package in SOURCE_ROOTS.items()}
    assert [name for name in found if not any(name.startswith(prefix) for prefix in packages)] == []


def test_fonts_and_icons_have_their_licences() -> None:
    resources = ROOT / "resources" / "fourdcb_resources"
    fonts = list((resources / "fonts").glob("*.ttf"))
    assert {font.name.split("-")[0] for font in fonts} == {"Inter", "JetBrainsMono"}
    assert sum(font.stat().st_size for font in fonts) < 2.5e6
    for licence in ("fonts/Inter-OFL.txt", "fonts/JetBrainsMono-OFL.txt", "icons/LICENSE.txt"):
        assert (resources / licence).stat().st_size > 500
    for icon in (resources / "icons").glob("*.svg"):
        text = icon.read_text(encoding="utf-8")
        assert text.startswith("<svg ")
        assert icon.name == "app.svg" or "currentColor" in text
