"""Asks for what is in sight and is made in idle time: strips under sliders, facts under pixels."""

from __future__ import annotations

from fourdcb_studio.panels.parameters import ParametersPanel
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.scene_session import SceneSession


class Sight:
    """What the user looks at.

    Args:
        session: is asked.
        parameters: the sliders.
    """

    def __init__(self, session: SceneSession, parameters: ParametersPanel) -> None:
        self._session, self._parameters = session, parameters
        self._inspected: tuple[Role, ...] = ()
        self._hovered = False
        self._picked: Role | None = None

    def want_strips(self) -> None:
        """Ask for the strips of the parameters that are in sight and move something."""
        edits = self._session.parameters
        if edits is not None and edits.dragging is not None:
            return
        panel = self._parameters
        shown = {path for path in panel.visible_paths() if not panel.row(path).visibleRegion().isEmpty()}
        paths = [p.path for p in self._session.shown_parameters() if p.stage == "physics" and p.path in shown]
        self._session.scheduler.strips.want(tuple(paths))
        self._session.scheduler.pump()

    def hover(self, x: int, y: int) -> None:
        """The mouse is over a pixel, (-1, -1) for none."""
        self._hovered = x >= 0
        self.want_pixels()

    def inspect(self, roles: tuple[Role, ...]) -> None:
        """The inspector asks about the pixels of these replays from now on."""
        self._inspected = roles

    def pick(self, role: Role | None) -> None:
        """The body under a click on this replay is asked for, whatever else is; None when it is known."""
        if role != self._picked:
            self._picked = role
            self.want_pixels()

    def want_pixels(self) -> None:
        """Have the process look what lies under the pixels, in idle time, while somebody looks."""
        roles: tuple[Role, ...] = ("candidate",) if self._hovered else ()
        if self._session.comparison.state.outlines:
            roles = ("candidate", "reference")
        scheduler = self._session.scheduler
        picked = () if self._picked is None else (self._picked,)
        roles = tuple(dict.fromkeys((*picked, *roles, *self._inspected)))
        scheduler.probes.want(roles)
        if roles:
            scheduler.pump()
