"""One selection: a body that is clicked anywhere is selected everywhere."""

from __future__ import annotations

from typing import Literal

from fourdcb_studio.presenters.sight import Sight
from fourdcb_studio.session.probed import BACKGROUND
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.workspace import Workspace

_Pick = tuple[Literal["candidate", "reference"], int, int]


class Picking:
    """Selects the body under a click on the images, once the process has told which it is.

    Args:
        session: whose selection.
        parts: images and parameters.
        sight: asks what lies under the pixels.
    """

    def __init__(self, session: SceneSession, parts: Workspace, sight: Sight) -> None:
        self._session, self._parts, self._sight = session, parts, sight
        self._waiting: _Pick | None = None
        self._shown = ""
        parts.images.clicked.connect(self.pick)
        parts.parameters.owner_chosen.connect(self.choose)
        session.changes.subscribe("probe", self._take)
        for topic in ("scene", "clock"):  # another picture: the click was on the one before
            session.changes.subscribe(topic, self._forget)
        session.changes.subscribe("selection", self._follow)

    def pick(self, source: str, x: int, y: int) -> None:
        """A pixel was clicked, of the original or of a replay."""
        original = source == "reference" and self._session.reference is not None
        role: Literal["candidate", "reference"] = "reference" if original else "candidate"
        self._waiting = (role, x, y)
        self._sight.pick(role)
        self._take()

    def choose(self, name: str) -> None:
        """A thing's parameters were asked for; a body among them is selected."""
        world = self._session.candidate_world
        if world is not None and any(body.name == name for body in world.bodies):
            self._session.selection.select(object_name=name)

    def _take(self) -> None:
        if self._waiting is None:
            return
        role, x, y = self._waiting
        probe = self._session.probe(role)
        if probe is None:
            return
        self._forget()
        pixel = probe.pixel(x, y)
        if pixel is not None and pixel.body != BACKGROUND:
            self._session.selection.select(object_name=pixel.body)

    def _forget(self) -> None:
        self._waiting = None
        self._sight.pick(None)

    def _follow(self) -> None:
        """The parameters show what is selected, when another thing is."""
        name = self._session.selection.object or ""
        if name != self._shown:
            self._shown = name
            self._parts.parameters.select_owner(name)
