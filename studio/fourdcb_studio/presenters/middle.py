"""Feeds what may stand in the middle instead of the images: the 3D view and the script."""

from __future__ import annotations

from fourdcb.errors import UserError
from fourdcb.world import World
from fourdcb_studio.bench import Bench
from fourdcb_studio.presenters.script import ScriptPresenter
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.state import message_of
from fourdcb_studio.views.space.layers import SpaceRole
from fourdcb_studio.views.space.scene import SpaceMotion
from fourdcb_studio.workspace import Workspace


class MiddlePresenter:
    """Writes worlds, motions and the script into their views; hidden views cost nothing.

    Args:
        workspace: the parts.
        bench: the state.
    """

    def __init__(self, workspace: Workspace, bench: Bench) -> None:
        self._parts, self._session, self._view = workspace, bench.session, bench.view
        self.script = ScriptPresenter(bench, workspace.script)
        self._shown_worlds: dict[SpaceRole, World | None] = {}

    def show(self) -> None:
        """Bring the view that stands in the middle up to date."""
        current = self._parts.middle.currentWidget()
        if current is self._parts.space:
            self.show_space()
        elif current is self._parts.script:
            self.script.show()

    def show_space(self) -> None:
        """Both worlds with their motions at the current frame."""
        session, canvas = self._session, self._parts.space.canvas
        worlds: dict[SpaceRole, World | None] = {
            "candidate": session.candidate_world,
            "reference": session.reference,
        }
        for role, world in worlds.items():
            if self._shown_worlds.get(role) is not world:
                self._put_world(role, world)
            canvas.set_motion(role, self._motion(role))
        canvas.set_selected(session.selection.object or "")
        canvas.set_frame(session.clock.frame)
        self.show_picture()

    def show_picture(self) -> None:
        """The replay's picture, in the 3D view's camera."""
        if self._parts.middle.currentWidget() is self._parts.space:
            self._parts.space.canvas.set_picture(self._view.images().replay.image)

    def show_frame(self) -> None:
        """The current frame, in the 3D view."""
        if self._parts.middle.currentWidget() is self._parts.space:
            self._parts.space.canvas.set_frame(self._session.clock.frame)

    def _put_world(self, role: SpaceRole, world: World | None) -> None:
        self._shown_worlds[role] = world
        try:
            self._parts.space.canvas.set_world(role, world)
        except UserError as error:
            self._session.tell(message_of(error))

    def _motion(self, role: Role) -> SpaceMotion | None:
        motion = self._session.motion(role)
        if motion is None:
            return None
        return SpaceMotion(
            motion.names, motion.position, motion.orientation_wxyz, motion.contacts, motion.particles
        )
