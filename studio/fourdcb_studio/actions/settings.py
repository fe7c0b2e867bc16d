"""Puts settings and layouts into force and keeps them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget

from fourdcb_studio.bench import Bench
from fourdcb_studio.panels.settings_card import SettingsCard
from fourdcb_studio.session.messages import OptionsRequest
from fourdcb_studio.session.preferences import SCALE_VARIABLE, Layout, Preferences
from fourdcb_studio.session.state import info, warning
from fourdcb_studio.theme import apply_theme, tokens
from fourdcb_studio.widgets.place import fit_to_screen, place_of, restore_place
from fourdcb_studio.workspace import Workspace

_REST_MS = 2000  # an edit that rests this long is saved, where that is wanted


class PreferencesHandler:
    """The settings card, and what follows from it.

    Args:
        bench: what is set.
        parts: what is arranged.
        path: the file that keeps everything; None keeps nothing.
        set_options: has the simulation process work so.
    """

    def __init__(
        self,
        bench: Bench,
        parts: Workspace,
        path: Path | None,
        *,
        set_options: Callable[[OptionsRequest], None],
    ) -> None:
        self._bench, self._parts, self._session = bench, parts, bench.session
        self._set_options = set_options
        self.kept = Preferences(path)
        self._began_with = self.kept.settings.language
        self.restart_wanted = False
        self._card: SettingsCard | None = None
        self._rest = QTimer(bench)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._autosave)
        self._session.changes.subscribe("world", self._on_world)
        self._put()
        if self.kept.last_layout is not None:
            parts.set_layout(self.kept.last_layout)
        self._told = ""
        QTimer.singleShot(0, bench, self._tell_problem)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each action does."""
        return {"settings": self.open, "theme": self._switch_theme, "reset_layout": self.reset_layout}

    def close(self) -> None:
        """The window closes: begin with this layout next time."""
        self._rest.stop()
        self.kept.remember_layout(self._parts.layout_state())

    def open(self) -> None:
        """The settings card over the window."""
        self.card().set_settings(self.kept.settings)
        self.card().set_layouts(tuple(self.kept.layouts))
        self.card().open()

    def card(self) -> SettingsCard:
        """The card, made when it is first looked at."""
        if self._card is None:
            card = self._card = SettingsCard(
                self._parts, scale_in_force=scale_in_force(), language_in_force=self._began_with
            )
            card.changed.connect(lambda name, value: self.change(**{name: value}))
            card.restart_requested.connect(self._restart)
            card.layout_saved.connect(self.save_layout)
            card.layout_restored.connect(self.restore_layout)
            card.layout_deleted.connect(self._delete_layout)
            card.layout_reset.connect(self.reset_layout)
        return self._card

    # -- settings ------------------------------------------------------------------------------------
    def change(self, **changes: Any) -> None:
        """Other settings, in force at once."""
        before = self.kept.settings
        self.kept.change(**changes)
        if self._card is not None:
            self._card.set_settings(self.kept.settings)
        if before.theme != self.kept.settings.theme:
            self._apply_theme()
        self._put()
        self._tell_problem()

    def _tell_problem(self) -> None:
        """Say once what is wrong with the file."""
        problem = self.kept.problem
        if problem and problem != self._told:
            self._session.tell(warning("settings_problem", problem=problem))
        self._told = problem

    def _put(self) -> None:
        settings = self.kept.settings
        self._session.store.set_budget(settings.cache_mb * 2**20)
        self._session.keep_journal(settings.recovery)
        self._set_options(OptionsRequest(supersample=2 if settings.preview == "full" else 1))
        self._parts.pixels.set_key_hints(settings.key_hints)
        self._session.changes.notify("status")

    def _switch_theme(self) -> None:
        self.kept.change(theme="light" if tokens().name == "dark" else "dark")
        self._apply_theme()

    def _apply_theme(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, self.kept.settings.theme)
        self._bench.theme_changed.emit()

    def _on_world(self) -> None:
        if self.kept.settings.autosave and self._session.edited:
            self._rest.start()

    def _autosave(self) -> None:
        edits = self._session.parameters
        waits = self._session.draft is not None  # half a line is nothing to replay, nor to save
        if edits is not None and edits.dragging is None and self._session.edited and not waits:
            self._session.save()

    def _restart(self) -> None:
        self.restart_wanted = True
        self._bench.close_requested.emit()

    def forget_restart(self) -> None:
        """The window stays open after all."""
        self.restart_wanted = False

    # -- the window's place --------------------------------------------------------------------------
    def put_place(self, window: QWidget) -> None:
        """Put the window where it was last time, else to fit the screen."""
        if self.kept.place and restore_place(window, self.kept.place):
            return
        fit_to_screen(window)

    def remember_place(self, window: QWidget) -> None:
        """Begin there next time."""
        self.kept.remember_place(place_of(window))

    # -- layouts -------------------------------------------------------------------------------------
    def save_layout(self, name: str) -> None:
        """Keep the present layout under a name."""
        self.kept.save_layout(name, self._parts.layout_state())
        self.card().set_layouts(tuple(self.kept.layouts))
        if self.kept.problem:
            self._tell_problem()
        else:
            self._session.tell(info("saved_layout", name=name))

    def restore_layout(self, name: str) -> None:
        """Arrange the window as it was saved; an unknown name is ignored."""
        layout = self.kept.layouts.get(name)
        if layout is not None:
            self._parts.set_layout(layout)

    def reset_layout(self) -> None:
        """Arrange the window as it came."""
        self._parts.set_layout(Layout())

    def _delete_layout(self, name: str) -> None:
        self.kept.delete_layout(name)
        self.card().set_layouts(tuple(self.kept.layouts))


def scale_in_force() -> int:
    """Size of everything in this process [%]."""
    try:
        return round(100 * float(os.environ.get(SCALE_VARIABLE, "1")))
    except ValueError:
        return 100
