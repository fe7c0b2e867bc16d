"""The script that is open: put aside and taken up again, typed at, kept on disk until it is saved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fourdcb.errors import UserError
from fourdcb_studio.session.drafts import Drafts, values_since
from fourdcb_studio.session.journal import NOTHING_LEFT, Journal, Left
from fourdcb_studio.session.notifier import Notifier
from fourdcb_studio.session.parameter_set import ParameterSet, Values
from fourdcb_studio.session.scene_state import SceneState
from fourdcb_studio.session.script_document import BrokenScript, ScriptDocument
from fourdcb_studio.session.script_history import ScriptHistory, TextStep
from fourdcb_studio.session.state import Message, message_of

Leave = Literal["keep", "discard"]
"""What becomes of unsaved edits when the window closes."""


@dataclass(frozen=True, slots=True)
class _Parked:
    document: ScriptDocument
    parameters: ParameterSet
    history: ScriptHistory
    journal: Journal | None


class OpenScript(SceneState):
    """Owner of document, edits, drafts and journal. The session adds what follows from them.

    Args:
        journal_folder: where unsaved edits are kept; None keeps none.
    """

    changes: Notifier
    message: Message | None

    def __init__(self, journal_folder: Path | None) -> None:
        self.document: ScriptDocument | None = None
        self.broken: BrokenScript | None = None  # the script, while it is not valid
        self.parameters: ParameterSet | None = None
        self.history, self.drafts = ScriptHistory(), Drafts()
        self.left: Left = NOTHING_LEFT
        self._journal_folder, self._journals_wanted = journal_folder, True
        self._journal: Journal | None = None
        self._parked: dict[Path, _Parked] = {}

    # -- reading -------------------------------------------------------------------------------------
    @property
    def recoverable(self) -> Values:
        """Edited values that a process which is gone left unsaved."""
        return self.left.values

    @property
    def edited_scripts(self) -> frozenset[Path]:
        """Scripts that are replayed otherwise than their files say, open or put aside."""
        current = {self.document.path} if self.document is not None and self.edited else set()
        return frozenset(current | set(self._parked))

    @property
    def unsaved_scripts(self) -> frozenset[Path]:
        """Scripts with edits that are not on disk, replayed or only typed."""
        return self.edited_scripts | set(self.drafts)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit or a replayed text to take back."""
        edits = self.parameters
        return edits is not None and (edits.undo_label is not None or self.history.can_go_back(edits))

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit or a replayed text to bring back."""
        edits = self.parameters
        return edits is not None and (edits.redo_label is not None or self.history.can_go_on(edits))

    # -- typing --------------------------------------------------------------------------------------
    def set_draft(self, text: str | None) -> None:
        """The editor's text stands so, None when it is the script's own. Cheap: called at every key."""
        path = self.script_path
        if path is None:
            return
        values = self.parameters.values if self.parameters is not None else {}
        if self.drafts.put(path, text, values):
            self.changes.notify("draft")

    def keep_draft(self) -> None:
        """Typing rests: what a crash must not lose goes to disk."""
        self._record()

    # -- opening and closing -------------------------------------------------------------------------
    def _park(self) -> None:
        """Put the script aside with its edits and its undo, until it is looked at again."""
        self._record()
        if self.document is not None and self.parameters is not None and self.edited:
            parked = _Parked(self.document, self.parameters, self.history, self._journal)
            self._parked[self.document.path] = parked
            self._journal, self.history = None, ScriptHistory()  # its file stays: a crash loses nothing

    def close_script(self) -> None:
        """Forget the script; its journal stays only if something is unsaved."""
        self._record()
        if self._journal is not None and not self.unsaved:
            self._journal.close()
        self.document = self.parameters = self._journal = self.broken = None
        self.history = ScriptHistory()
        self.left = NOTHING_LEFT

    def discard_edits(self) -> None:
        """The user chose to lose the unsaved edits: nothing will be offered for recovery."""
        if self.script_path is not None:
            self.drafts.put(self.script_path, None, {})
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _open_script(self, path: Path | None) -> None:
        if path is None:
            return
        if path in self._parked:
            parked = self._parked.pop(path)
            self.document, self.parameters = parked.document, parked.parameters
            self.history, self._journal = parked.history, parked.journal
            return
        try:
            self.document = ScriptDocument(path)
        except UserError as error:
            self.broken = BrokenScript(path, error)
            self.message = message_of(error, action="view_script")
        else:
            self.parameters = ParameterSet(self.document.parsed.world)
        self._start_journal()
        if self._journal is not None:
            self.left = self._journal.left()

    # -- the journal ---------------------------------------------------------------------------------
    def keep_journal(self, wanted: bool) -> None:
        """Whether unsaved edits are kept on disk, so that a crash loses none."""
        if wanted == self._journals_wanted:
            return
        self._journals_wanted = wanted
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._start_journal()
        self._record()

    @property
    def can_keep(self) -> bool:
        """Whether unsaved edits can be kept for next time."""
        return self._journal_folder is not None and self._journals_wanted

    def leave(self, how: Leave) -> None:
        """The window closes: keep everything that is unsaved for next time, or lose it."""
        for journal, _, values, text, draft in self._unsaved():
            if how == "keep":
                journal.record(values, text=text, draft=draft, kept=True)
            else:
                journal.close()
        if how == "discard":
            self.drafts.clear()
            self._parked.clear()
            if self.document is not None and self.parameters is not None:
                self.parameters.reset_all()
                self.history.clear()
        self._journal = None

    def _unsaved(self) -> list[tuple[Journal, Path, Values, str | None, str | None]]:
        """Everything that is unsaved: journal, script, values, replayed text, typed text."""
        held = [(p.document, p.parameters) for p in self._parked.values()]
        if self.document is not None and self.parameters is not None:
            held.append((self.document, self.parameters))
        found: list[tuple[Journal, Path, Values, str | None, str | None]] = []
        folder = self._journal_folder
        if folder is None:
            return found
        for document, edits in held:
            text, draft = _typed_text(document), self.drafts.of(document.path)
            journal = Journal(folder, document.path, document.disk_text)
            typed = draft.text if draft is not None else None
            found.append((journal, document.path, edits.values, text, typed))
        known = {path for _, path, *_ in found}
        for path in self.drafts:  # of scripts that are not valid, or of another scene
            draft = self.drafts.of(path)
            if path not in known and draft is not None:
                journal = Journal(folder, path, _text_of(path))
                found.append((journal, path, {}, None, draft.text))
        return found

    def _start_journal(self) -> None:
        """One journal for the script's text as it is on disk now; a former one has served."""
        if self._journal is not None:
            self._journal.close()
        held = self.document or self.broken
        if self._journals_wanted and self._journal_folder is not None and held is not None:
            text = self.document.disk_text if self.document is not None else held.source
            self._journal = Journal(self._journal_folder, held.path, text)

    def _record(self) -> None:
        """Write down what is unsaved of the open script."""
        if self._journal is None:
            return
        values = self.parameters.values if self.parameters is not None else {}
        draft = self.draft
        text = _typed_text(self.document) if self.document is not None else None
        self._journal.record(values, text=text, draft=draft.text if draft is not None else None)

    def _save_others(self) -> None:
        """Save every script but the open one. Raises UserError at the first that cannot be."""
        for path, parked in tuple(self._parked.items()):
            draft, values = self.drafts.of(path), dict(parked.parameters.values)
            if draft is not None:
                values = values_since(draft, values, parked.parameters.file_values)
                parked.document.replace(draft.text)
            parked.document.save(values)
            self._forget(path, parked.journal)
        for path in tuple(self.drafts):
            draft = self.drafts.of(path)
            if draft is not None and path != self.script_path:
                ScriptDocument(path, typed=draft.text).save({})
                self._forget(path, None)

    def _forget(self, path: Path, journal: Journal | None) -> None:
        """A script that is not open is saved."""
        self._parked.pop(path, None)
        self.drafts.put(path, None, {})
        if journal is not None:
            journal.close()

    # -- undo across texts ---------------------------------------------------------------------------
    def _step(self) -> TextStep:
        assert self.document is not None
        assert self.parameters is not None
        return TextStep(self.document.text, self.parameters)

    def _take_step(self, step: TextStep) -> None:
        assert self.document is not None
        self.document.return_to(step.text)
        self.parameters = step.edits


def _typed_text(document: ScriptDocument) -> str | None:
    return document.source if document.typed else None


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""
