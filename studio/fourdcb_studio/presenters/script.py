"""Feeds the script's view and takes what is typed in it."""

from __future__ import annotations

from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.words import chosen
from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.check import CHECK, CheckRequest, CheckResult
from fourdcb_studio.session.state import message_of
from fourdcb_studio.views.script.script_view import NO_DIFFERENCE, ScriptView
from fourdcb_studio.widgets.no_display import NoDisplay

_FILE, _TRUTH, _SNAPSHOT = "file", "truth", "snapshot:"


class ScriptPresenter:
    """Text, draft and diagnostics into the view; typing, replaying and comparing out of it.

    Args:
        bench: the state.
        view: where the script is typed.
    """

    def __init__(self, bench: Bench, view: ScriptView) -> None:
        self._session, self._view = bench.session, view
        self._compared = NO_DIFFERENCE
        self._checks = bench.jobs.runner(
            CHECK, NoDisplay(bench), on_done=self._show_check, on_error=lambda error: None
        )
        view.typed.connect(self._session.set_draft)
        view.edited.connect(self._on_rest)
        view.apply_requested.connect(self.apply)
        view.difference_chosen.connect(self.compare)

    def show(self) -> None:
        """The script with the edits in place, or what was typed instead."""
        session, view = self._session, self._view
        document, edits, draft = session.document, session.parameters, session.draft
        typed = draft.text if draft is not None else None
        held = document or session.broken
        key, name = (str(held.path), held.path.name) if held is not None else ("", "")
        view.set_read_only(held is None)
        if document is None or edits is None:
            view.set_source(held.source if held is not None else "", name, key=key, draft=typed)
            diagnostics = session.broken.diagnostics if session.broken is not None else ()
        else:
            try:
                view.set_source(document.edited(edits.values).source, name, key=key, draft=typed)
            except UserError as error:
                session.tell(message_of(error))
            diagnostics = document.parsed.diagnostics
        self._show_choices()
        if typed is None:
            view.set_diagnostics(diagnostics)
        else:
            self._check(typed)

    def apply(self, text: str) -> None:
        """Replay the text that was typed; what is wrong with it stands below it."""
        self._checks.cancel()
        try:
            self._session.apply_source(text)
        except DiagnosticsError as error:
            self._view.set_diagnostics(error.diagnostics)
        except UserError as error:
            self._session.tell(message_of(error))
        else:
            self.show()

    def compare(self, key: str) -> None:
        """Show another text beside the script, none for :data:`NO_DIFFERENCE`."""
        self._compared = key
        self._show_choices()

    # -- while it is typed ---------------------------------------------------------------------------
    def _on_rest(self, text: str) -> None:
        self._session.keep_draft()
        self._check(text)

    def _check(self, text: str) -> None:
        path = self._session.script_path
        if path is not None:
            self._checks.start(CheckRequest(path=path, source=text))

    def _show_check(self, found: CheckResult) -> None:
        same = found.request.path == self._session.script_path
        if same and found.request.source == self._view.source():
            self._view.set_diagnostics(found.diagnostics)

    # -- beside another text -------------------------------------------------------------------------
    def _show_choices(self) -> None:
        texts, words = self._texts(), chosen()
        choices = [(NO_DIFFERENCE, words.say("studio.script.compare"))]
        choices += [(key, word) for key, (word, _) in texts.items()]
        if self._compared not in texts:
            self._compared = NO_DIFFERENCE
        self._view.set_difference_choices(choices if texts else (), self._compared)
        self._view.set_other(texts[self._compared][1] if self._compared else None)

    def _texts(self) -> dict[str, tuple[str, str]]:
        """What the script can be compared with: word and text, by id."""
        session, words = self._session, chosen()
        found: dict[str, tuple[str, str]] = {}
        if session.script_path is None:
            return found
        truth = session.reference_text
        if truth is not None:
            found[_TRUTH] = (words.say("studio.script.against_truth"), truth)
        if session.document is not None:
            found[_FILE] = (words.say("studio.script.against_file"), session.document.text_on_disk())
        for name in session.parameters.snapshots if session.parameters is not None else ():
            assert session.parameters is not None
            text = session.parameters.snapshot_text(name)
            found[_SNAPSHOT + name] = (words.say("studio.script.against_snapshot", name=name), text)
        return found
