"""The map of the house is true: what it names exists, and its walks are as short as they promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "resources/fourdcb_resources/docs/architecture.md").read_text(encoding="utf-8")
SOURCES = {"fourdcb": "core", "fourdcb_studio": "studio", "fourdcb_resources": "resources", "tests": "."}
MOST_ROOMS = 12


def named(text: str) -> list[str]:
    """Files that a text names."""
    return re.findall(r"`((?:fourdcb|fourdcb_studio|fourdcb_resources|tests)/[\w/]+\.\w+)`", text)


def path_of(name: str) -> Path:
    return ROOT / SOURCES[name.partition("/")[0]] / name


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, flags=re.M | re.S)
    assert found, title
    return found.group(1)


def test_every_file_on_the_map_exists() -> None:
    assert len(named(PAGE)) > 50
    assert [name for name in named(PAGE) if not path_of(name).is_file()] == []


def test_every_room_of_the_house_is_on_the_map() -> None:
    rooms = section("Rooms")
    for package, folder in (("fourdcb", "core"), ("fourdcb_studio", "studio")):
        inner = [p.name for p in (ROOT / folder / package).iterdir() if (p / "__init__.py").is_file()]
        data = {"theme"}  # colours and icons
        assert [name for name in inner if f"`{name}/`" not in rooms and name not in data] == []


def test_things_in_the_tables_exist() -> None:
    for line in section("Rooms").splitlines():
        for room, file in re.findall(r"^\| `(\w+)/` .*?`(\w+\.py)`", line):
            folders = [ROOT / "core/fourdcb" / room, ROOT / "studio/fourdcb_studio" / room]
            assert any((folder / file).is_file() for folder in folders), (room, file)


@pytest.mark.parametrize("title", ["The life of a script", "The life of a slider's value"])
def test_a_walk_goes_through_few_rooms(title: str) -> None:
    files = named(section(title))
    rooms = {tuple(name.split("/")[:2]) for name in files}
    assert len(files) >= 12
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
