"""Feeds what may stand in the middle instead of the images: the 3D view and the script."""

from __future__ import annotations

from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.world import World
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.scene_session import SceneSession
from fourdcb_studio.session.state import message_of
from fourdcb_studio.views.space.scene import SpaceMotion
from fourdcb_studio.views.space.view import SpaceRole
from fourdcb_studio.workspace import Workspace


class MiddlePresenter:
    """Writes worlds, motions and the script into their views; hidden views cost nothing.

    Args:
        workspace: the parts.
        session: the state.
    """

    def __init__(self, workspace: Workspace, session: SceneSession) -> None:
        self._parts, self._session = workspace, session
        self._shown_worlds: dict[SpaceRole, World | None] = {}

    def show(self) -> None:
        """Bring the view that stands in the middle up to date."""
        current = self._parts.middle.currentWidget()
        if current is self._parts.space:
            self.show_space()
        elif current is self._parts.script:
            self.show_script()

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

    def show_frame(self) -> None:
        """The current frame, in the 3D view."""
        if self._parts.middle.currentWidget() is self._parts.space:
            self._parts.space.canvas.set_frame(self._session.clock.frame)

    def show_script(self) -> None:
        """The script with the edits in place, unless the user is typing in it."""
        session, view = self._session, self._parts.script
        document, edits = session.document, session.parameters
        if document is None or edits is None:
            broken = session.broken
            view.set_source(broken.source if broken else "", broken.path.name if broken else "")
            view.set_diagnostics(broken.diagnostics if broken else ())
            view.set_read_only(broken is None)
            return
        view.set_read_only(False)
        if view.is_changed() and view.editor().hasFocus() and view.source() != document.source:
            return
        try:
            view.set_source(document.edited(edits.values).source, document.path.name)
        except UserError as error:
            session.tell(message_of(error))
        view.set_diagnostics(document.parsed.diagnostics)

    def apply_script(self, text: str) -> None:
        """Replay the text that was typed; what is wrong with it stands below it."""
        try:
            self._session.apply_source(text)
        except DiagnosticsError as error:
            self._parts.script.set_diagnostics(error.diagnostics)
        except UserError as error:
            self._session.tell(message_of(error))
        else:
            self.show_script()

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
        return SpaceMotion(motion.names, motion.position, motion.orientation_wxyz)
