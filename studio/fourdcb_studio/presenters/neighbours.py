"""The cases of the library in the list beside the images: those around the open one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from fourdcb.words import tr
from fourdcb_studio.panels.cases import Case, CasesPanel

if TYPE_CHECKING:
    from fourdcb.library import CaseEntry, CaseFilter
    from fourdcb_studio.session.library_browser import LibraryBrowser

_NEIGHBOURS = 60  # cases before and after the open one that the list holds


class LibraryNeighbours:
    """Feeds the list, and takes the filter's chips off when they are clicked.

    Args:
        panel: the list.
        browser: what is shown and open.
        picture: the picture of a case, None while there is none.
    """

    def __init__(
        self, panel: CasesPanel, browser: LibraryBrowser, picture: Callable[[str], QImage | None]
    ) -> None:
        self._panel, self._browser, self._picture = panel, browser, picture
        self._chips: dict[str, tuple[str, str]] = {}
        panel.filter_toggled.connect(self._drop_chip)

    def show(self) -> bool:
        """The shown cases around the open one; False when none is open."""
        panel, browser = self._panel, self._browser
        if browser.opened is None:
            return False
        at = max(browser.position[0] - 1, 0)
        near = browser.shown[max(at - _NEIGHBOURS, 0) : at + _NEIGHBOURS]
        panel.set_cases([self._case(entry) for entry in near])
        self._chips = dict(_chips(browser.wanted))
        counts = browser.facets()
        panel.set_facets(
            [(word, counts[facet].get(value, 0)) for word, (facet, value) in self._chips.items()],
            frozenset(self._chips),
        )
        panel.set_current(browser.opened)
        return True

    def _case(self, entry: CaseEntry) -> Case:
        from fourdcb_studio.views.library.words import value_title, verdict_title

        passed = {"deployable": True, "not_deployable": False}.get(entry.verdict)
        picture = self._picture(entry.id)
        finding = entry.summary.finding if entry.summary else None
        word = value_title("kind", finding.kind) if finding else verdict_title(entry)
        note = word if entry.frame is None else tr("{word} · frame {frame}", word=word, frame=entry.frame)
        return Case(entry.id, note, passed=passed, thumbnail=None if picture is None else _array(picture))

    def _drop_chip(self, word: str, on: bool) -> None:
        if not on and word in self._chips:
            self._browser.toggle(*self._chips[word])


def _chips(wanted: CaseFilter) -> Iterator[tuple[str, tuple[str, str]]]:
    from fourdcb_studio.views.library.words import value_title

    for facet, values in wanted.chosen.items():
        for value in sorted(values):
            yield value_title(facet, value), (facet, value)


def _array(image: QImage) -> NDArray[np.uint8]:
    """uint8, shape (H, W, 3)."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(rgb.constBits(), np.uint8).reshape(rgb.height(), rgb.bytesPerLine())
    return rows[:, : 3 * rgb.width()].reshape(rgb.height(), rgb.width(), 3).copy()
