"""The Fit button: which parameters, the job in its own process, and what becomes of its result."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb.world import Parameter
from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.fit import FIT, FitRequest, FitResult
from fourdcb_studio.jobs.progress import JobProgress
from fourdcb_studio.panels.fit_card import FitCard
from fourdcb_studio.session.state import message_of
from fourdcb_studio.workspace import Workspace

_FIRST_GROUPS = ("contact", "mass", "start")


class Fitting:
    """Solves for parameters of the open candidate while the window stays in use.

    Args:
        bench: whose candidate.
        parts: where the card and the progress lie.
    """

    def __init__(self, bench: Bench, parts: Workspace) -> None:
        self._parts, self._session = parts, bench.session
        self.card = FitCard(parts.middle)
        chip = parts.status.job_chip("fit")
        self.jobs = bench.jobs.runner(FIT, chip, on_done=self._found, on_error=self._failed)
        self._request: FitRequest | None = None
        self._result: FitResult | None = None
        self._begun, self._tries = 0.0, 0
        self._first_step: tuple[int, float] | None = None  # steps done, when [s]: loading is no step
        self.card.start_requested.connect(self.start)
        self.card.cancel_requested.connect(self.cancel)
        self.card.apply_requested.connect(self.apply)
        chip.cancelled.connect(self.card.hide)
        parts.middle.currentChanged.connect(lambda: self.card.raise_())
        self._session.changes.subscribe("scene", self._on_scene)
        self._script = self._session.sources.script

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What its action does."""
        return {"solve": self.open}

    # -- choosing ------------------------------------------------------------------------------------
    def open(self) -> None:
        """Offer the parameters of the selected thing, those that a finding blames first."""
        session = self._session
        if self.jobs.is_running:
            self.card.show_progress(self.card_text())
            return
        try:
            self._check()
        except UserError as error:
            session.tell(message_of(error))
            return
        blamed = self._blamed()
        owner = blamed.partition(".")[0] if blamed else self._parts.parameters.owner()
        own = [p for p in session.shown_parameters() if p.owner == owner]
        chosen = frozenset({blamed}) if blamed else _first_group(own)
        session.tell(None)
        self.card.choose(owner, session.shown_parameters(), chosen)

    def _check(self) -> None:
        session = self._session
        if session.parameters is None or session.candidate_world is None:
            raise UserError(
                tr("there is no script whose parameters could be fitted"), hint=tr("open a script")
            )
        if session.sources.video is None and session.reference is None:
            raise UserError(
                tr("there is nothing to fit to"), hint=tr("open the video that the script answers to")
            )

    def _blamed(self) -> str | None:
        """The parameter that the selected finding blames, else the first finding's; None without one."""
        findings, index = self._session.findings, self._session.selection.finding
        picked = findings[index : index + 1] if index is not None else ()
        known = {p.path for p in self._session.shown_parameters()}
        causes = [f.likely_cause.parameter for f in (*picked, *findings) if f.likely_cause is not None]
        return next((path for path in causes if path in known), None)

    # -- the job -------------------------------------------------------------------------------------
    def start(self, paths: tuple[str, ...]) -> None:
        """Solve for ``paths``, from the candidate as it is edited now."""
        session = self._session
        world = session.candidate_world
        assert world is not None
        video = session.sources.video
        self._request = FitRequest(
            world=world, reference=session.reference, video=str(video) if video else None, paths=tuple(paths)
        )
        self._begun, self._tries = time.monotonic(), 0
        self._first_step = None
        self._script = session.sources.script
        text = "fitting " + ", ".join(path.rpartition(".")[2].replace("_", " ") for path in paths)
        self.jobs.start(self._request, text=text, words=self._words)
        self.card.show_progress(tr("{words}: starting", words=text))

    def card_text(self) -> str:
        """Where the job is, in words."""
        return tr(
            "{tries} replays tried · {value:.0f} s", tries=self._tries, value=time.monotonic() - self._begun
        )

    def _words(self, told: JobProgress) -> str:
        if told.label != "fitting":
            self.card.show_progress(
                tr("{label}: {done} of {total}", label=told.label, done=told.done, total=told.total)
            )
            return tr("fit: {label}", label=told.label)
        self._tries += 1
        step = min(told.done + 1, told.total)
        left = self._left(told.done, told.total)
        if self.card.isVisible():
            self.card.show_progress(
                tr(
                    "step {step} of at most {total} · {card_text}{left}",
                    step=step,
                    total=told.total,
                    card_text=self.card_text(),
                    left=left,
                )
            )
        return tr("fit: step {step} of {total}", step=step, total=told.total)

    def _left(self, done: int, total: int) -> str:
        """How long it still takes at most, at the rate of the steps that are done; "" before the first."""
        if done == 0:
            return ""
        if self._first_step is None:
            self._first_step = (done, time.monotonic())
            return ""
        first, begun = self._first_step
        if done == first:
            return ""
        seconds = (time.monotonic() - begun) / (done - first) * (total - done)
        return tr(" · at most {seconds:.0f} s left", seconds=seconds)

    def cancel(self) -> None:
        """Stop it; nothing changes."""
        self.jobs.cancel()
        self.card.hide()

    def _found(self, result: object) -> None:
        assert isinstance(result, FitResult)
        self._result = result
        self.card.show_result(result)

    def _failed(self, error: UserError) -> None:
        self.card.hide()
        told = message_of(error)
        self._session.tell(replace(told, kind="fit_ended"))

    # -- the result ----------------------------------------------------------------------------------
    def apply(self) -> None:
        """Take the values over, as one step."""
        if self._result is not None:
            found = {v.path: v.value for v in self._result.values if v.found}
            self._session.set_values(found, label="fit " + ", ".join(found))
        self._result = None
        self.card.hide()

    def _on_scene(self) -> None:
        session = self._session
        usable = session.parameters is not None and (
            session.sources.video is not None or session.reference is not None
        )
        self._parts.verdict.offer("solve", usable)
        if session.sources.script != self._script:
            self._script = session.sources.script
            self.cancel()


def _first_group(parameters: list[Parameter]) -> frozenset[str]:
    """The most telling group of a thing, without what no replay shows."""
    groups = [p.group for p in parameters]
    first = next((g for g in (*_FIRST_GROUPS, *groups) if g in groups), "")
    return frozenset(p.path for p in parameters if p.group == first)
