"""Undo across texts: every text that was replayed, with the edits that were made on it."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb_studio.session.parameter_set import ParameterSet
from fourdcb_studio.session.script_document import ScriptText


@dataclass(frozen=True, slots=True)
class TextStep:
    """A text and its edits, which keep their own undo.

    Attributes:
        text: what was typed, or what the file says.
        edits: on top of it.
    """

    text: ScriptText
    edits: ParameterSet


class ScriptHistory:
    """Texts before and after the one in force. Edits of the text in force are undone first."""

    def __init__(self) -> None:
        self._before: list[TextStep] = []
        self._after: list[tuple[TextStep, int]] = []

    def can_go_back(self, edits: ParameterSet) -> bool:
        """Whether undo leads to the text before: no edit of this one is left to undo."""
        return bool(self._before) and edits.undo_label is None and edits.dragging is None

    def can_go_on(self, edits: ParameterSet) -> bool:
        """Whether redo leads to the text after: nothing else was done since it was left."""
        if not self._after or edits.redo_label is not None or edits.dragging is not None:
            return False
        return edits.depth == self._after[-1][1]

    def replaced(self, step: TextStep) -> None:
        """Another text takes the place of this one."""
        step.edits.drop_redo()
        self._before.append(step)
        self._after.clear()

    def back(self, step: TextStep) -> TextStep:
        """The text before ``step``. Raises IndexError when there is none."""
        found = self._before.pop()
        self._after.append((step, found.edits.depth))
        return found

    def on(self, step: TextStep) -> TextStep:
        """The text after ``step``. Raises IndexError when there is none."""
        found, _ = self._after.pop()
        self._before.append(step)
        return found

    def clear(self) -> None:
        """Another file, or the same one saved: what was before cannot be returned to."""
        self._before.clear()
        self._after.clear()
