"""What the user settled once: settings and layouts, in one plain JSON file."""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from fourdcb.identity import write_atomic
from fourdcb.words import languages, tr

SCALE_VARIABLE = "QT_SCALE_FACTOR"
SYSTEM = "system"
_log = logging.getLogger(__name__)
_FORMAT, _VERSION = "fourdcb.studio", 1
SCALES = (80, 90, 100, 110, 125, 150, 175, 200)
_MOST_PIXELS = 20_000  # of a side of a panel; Qt takes no larger numbers than C does
CACHES_MB = (64, 128, 256, 512, 1024, 2048)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the Studio.

    Attributes:
        theme: colours; ``system`` follows the desktop.
        language: of everything that people read; ``system`` follows the machine. Takes effect at the next
            start.
        ui_scale: size of everything [%]; takes effect at the next start.
        autosave: whether edits are saved into the script by themselves.
        recovery: whether unsaved edits are kept for after a crash.
        cache_mb: memory for decoded and drawn frames [MB].
        preview: quality of the picture while a slider moves.
        key_hints: whether the line under the images names the keys that come next.
    """

    theme: Literal["dark", "light", "system"] = "dark"
    language: str = SYSTEM
    ui_scale: int = 100
    autosave: bool = False
    recovery: bool = True
    cache_mb: int = 128
    preview: Literal["fast", "full"] = "fast"
    key_hints: bool = True


_CHOICES: Mapping[str, tuple[object, ...]] = {
    "theme": ("dark", "light", "system"), "language": (SYSTEM, *languages()), "ui_scale": SCALES,
    "autosave": (True, False), "recovery": (True, False), "cache_mb": CACHES_MB,
    "preview": ("fast", "full"), "key_hints": (True, False),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which panels are shown and how large they are.

    Attributes:
        left_folded, right_folded: whether a side panel is folded to icons.
        left_width, right_width: of the open side panels [px].
        left_sizes: heights of findings and cases [px]; empty for the usual ones.
        time_height: of transport and time panel together [px]; None for the usual one.
        inspector: whether the pixel inspector is open.
        menu_bar: whether the menu bar is shown.
        plots_docked: whether the plots lie under the images.
        plots_height: of plots that lie there [px]; None for half.
    """

    left_folded: bool = False
    right_folded: bool = False
    left_width: int = 264
    right_width: int = 320
    left_sizes: tuple[int, ...] = ()
    time_height: int | None = None
    inspector: bool = False
    menu_bar: bool = False
    plots_docked: bool = False
    plots_height: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    settings: Settings = Settings()
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    last: Layout | None = None
    place: str = ""


class Preferences:
    """Settings and layouts, read once and written whenever they change.

    A file that means nothing here, or that another version wrote, is kept under another name before anything
    is written in its place.

    Args:
        path: the JSON file; None keeps nothing.

    Attributes:
        problem: what the user should know about the file; "" when all is well.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._content, self._foreign = _read(path)
        self.problem = (
            tr("The settings in {path} are not used: {foreign}", path=path, foreign=self._foreign)
            if self._foreign
            else ""
        )

    @property
    def settings(self) -> Settings:
        """Settings in force."""
        return self._content.settings

    def change(self, **changes: Any) -> Settings:
        """Other settings from now on. Raises ValueError for a value that is none of the choices."""
        for name, value in changes.items():
            if value not in _CHOICES[name]:
                raise ValueError(f"{name} cannot be {value!r}")
        self._write(replace(self._content, settings=replace(self._content.settings, **changes)))
        return self.settings

    @property
    def layouts(self) -> Mapping[str, Layout]:
        """Saved layouts by name."""
        return self._content.layouts

    @property
    def last_layout(self) -> Layout | None:
        """The layout at the end of the last session."""
        return self._content.last

    def save_layout(self, name: str, layout: Layout) -> None:
        """Keep a layout under a name; one of that name is replaced."""
        self._write(replace(self._content, layouts={**self._content.layouts, name: layout}))

    def delete_layout(self, name: str) -> None:
        """Forget a layout; an unknown name is ignored."""
        rest = {n: layout for n, layout in self._content.layouts.items() if n != name}
        self._write(replace(self._content, layouts=rest))

    def remember_layout(self, layout: Layout) -> None:
        """The layout to begin with next time."""
        if layout != self._content.last:
            self._write(replace(self._content, last=layout))

    @property
    def place(self) -> str:
        """Where the window was on which screen, as Qt writes it, in base 64; "" when that is not known."""
        return self._content.place

    def remember_place(self, place: str) -> None:
        """Where to put the window next time."""
        if place != self._content.place:
            self._write(replace(self._content, place=place))

    def _write(self, content: _Content) -> None:
        self._content = content
        if self._path is None:
            return
        last = content.last
        value = {
            "format": _FORMAT,
            "version": _VERSION,
            "settings": asdict(content.settings),
            "layouts": {name: asdict(layout) for name, layout in content.layouts.items()},
            "last": asdict(last) if last is not None else None,
            "place": content.place,
        }
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._foreign and self._path.is_file():
                self._path.rename(_free_name(self._path))
            write_atomic(self._path, json.dumps(value, ensure_ascii=False, indent=1))
            self._foreign = self.problem = ""
        except OSError as error:
            self.problem = tr(
                "The settings cannot be kept in {path}: {strerror}", path=self._path, strerror=error.strerror
            )
            _log.warning("%s", self.problem)


def _free_name(path: Path) -> Path:
    """Where a file goes that must not be lost: ``studio.json.kept``, ``studio.json.kept2`` …"""
    names = (path.with_name(f"{path.name}.kept{n if n > 1 else ''}") for n in itertools.count(1))
    return next(name for name in names if not name.exists())


def _read(path: Path | None) -> tuple[_Content, str]:
    """What the file says, and why it is not used; single odd values are left at their default and logged."""
    if path is None or not path.is_file():
        return _Content(), ""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        return _Content(), tr("the file cannot be read ({error})", error=error)
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        return _Content(), tr("the file holds no settings of the Studio")
    if value.get("version") != _VERSION:
        return _Content(), tr(
            "they are of version {value}, this Studio has {version}",
            value=repr(value.get("version")),
            version=_VERSION,
        )
    return _content(value), ""


def _content(value: Mapping[str, Any]) -> _Content:
    layouts = value.get("layouts")
    known = {str(n): _layout(v) for n, v in layouts.items()} if isinstance(layouts, dict) else {}
    last = value.get("last")
    return _Content(
        settings=_settings(value.get("settings")),
        layouts=known,
        last=_layout(last) if isinstance(last, dict) else None,
        place=place if isinstance(place := value.get("place"), str) else "",
    )


def _settings(value: object) -> Settings:
    found = value if isinstance(value, dict) else {}
    good: dict[str, Any] = {
        name: found[name] for name, choices in _CHOICES.items() if name in found and found[name] in choices
    }
    bad = set(found) - set(good)
    if bad:
        _log.warning("settings that mean nothing here: %s", ", ".join(sorted(map(str, bad))))
    return Settings(**good)


def _layout(value: object) -> Layout:
    found = value if isinstance(value, dict) else {}
    good: dict[str, Any] = {}
    for known in fields(Layout):
        given = found.get(known.name)
        if known.name == "left_sizes" and isinstance(given, list):
            good[known.name] = tuple(_pixels(v) for v in given if isinstance(v, int))
        elif isinstance(known.default, bool):
            if isinstance(given, bool):
                good[known.name] = given
        elif isinstance(given, int) and not isinstance(given, bool):
            good[known.name] = _pixels(given)
    return Layout(**good)


def _pixels(value: int) -> int:
    return min(max(value, 0), _MOST_PIXELS)
