"""Apply, replay, keep what helps, until nothing does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fourdcb.dsl import parse_script
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.evaluation.repair.edits import Edit, applied, place, subject, with_required_fields
from fourdcb.evaluation.repair.proposals import Origin, proposals
from fourdcb.evaluation.repair.stage import Judgement, RepairStage
from fourdcb.world import World

ROUNDS = 30
_CLEARLY = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was tried.

    Attributes:
        origin: whether the report suggested it, or values were joined.
        edits: what.
        before, after: judgements.
        kept: whether it helped.
    """

    origin: Origin
    edits: tuple[Edit, ...]
    before: Judgement
    after: Judgement
    kept: bool

    @property
    def worse(self) -> bool:
        """Whether more axes fail after it, or it costs clearly more."""
        more = len(self.after.failed) > len(self.before.failed)
        return more or self.after.cost > self.before.cost + _CLEARLY


@dataclass(frozen=True, slots=True)
class Repair:
    """A mended script and how it came about.

    Attributes:
        source: never worse than the input.
        edits: that make it of the input.
        completed: the required fields that the input lacked, "" where it had them all.
        before, after: judgements of input and result; ``before`` is None where the input was not valid.
        steps: all that was tried, in order.
    """

    source: str
    edits: tuple[Edit, ...]
    completed: str
    before: Judgement | None
    after: Judgement
    steps: tuple[Step, ...]


def repair(
    source: str,
    stage: RepairStage,
    *,
    filename: str = "<script>",
    base_dir: str = ".",
    rounds: int = ROUNDS,
    on_step: Callable[[Step], None] | None = None,
) -> Repair:
    """Mend a script.

    Every round takes the first proposal that makes the judgement better; the rest are looked for
    anew. At the end, edits without which it is as good are taken back.

    Args:
        stage: judges, against a reference.
        base_dir: folder that the script's files are relative to.
        rounds: at most so many edits are kept.
        on_step: told of every trial.

    Raises:
        DiagnosticsError: when the script is not valid, for more than fields that every object must state.
    """
    source, completed = _completed(source, stage.reference, filename, base_dir)
    work = _Work(source, stage, filename, base_dir)
    first = current = stage.judge(work.world(()), causes=True)
    edits: tuple[Edit, ...] = ()
    steps: list[Step] = []
    while len([step for step in steps if step.kept]) < rounds and not current.deployable:
        taken = False
        for proposal in proposals(current, work.world(edits), stage.reference):
            tried = work.attempt((*edits, *proposal.edits))
            if tried is None:
                continue
            taken = tried.better_than(current)
            steps.append(Step(proposal.origin, proposal.edits, current, tried, taken))
            if on_step is not None:
                on_step(steps[-1])
            if taken:
                edits = _merged(edits, proposal.edits)
                current = tried if tried.deployable else stage.judge(work.world(edits), causes=True)
                break
        if not taken:
            break
    edits, current = _pruned(edits, current, work)
    return Repair(
        source=work.text(edits), edits=edits, completed=completed, before=None if completed else first,
        after=current, steps=tuple(steps),
    )  # fmt: skip


class _Work:
    """The input with edits: text, world, judgement."""

    def __init__(self, source: str, stage: RepairStage, filename: str, base_dir: str) -> None:
        self._source, self._stage, self._filename, self._base_dir = source, stage, filename, base_dir

    def text(self, edits: Iterable[Edit]) -> str:
        return applied(self._source, _merged((), tuple(edits)), filename=self._filename)

    def world(self, edits: Iterable[Edit]) -> World:
        return parse_script(self.text(edits), filename=self._filename, base_dir=self._base_dir).world

    def attempt(self, edits: Sequence[Edit]) -> Judgement | None:
        """None where the script cannot say it."""
        try:
            return self._stage.judge(self.world(edits))
        except UserError:
            return None


def _merged(edits: tuple[Edit, ...], more: Sequence[Edit]) -> tuple[Edit, ...]:
    """Of two edits of one place the later counts."""
    kept = {place(edit): edit for edit in edits}
    for edit in more:
        kept.pop(place(edit), None)
        kept[place(edit)] = edit
    return tuple(kept.values())


def _pruned(edits: tuple[Edit, ...], current: Judgement, work: _Work) -> tuple[tuple[Edit, ...], Judgement]:
    """Without the edits that nothing gets worse without, the last ones looked at first."""
    for name in reversed(list(dict.fromkeys(map(subject, edits)))):
        fewer = tuple(edit for edit in edits if subject(edit) != name)
        tried = work.attempt(fewer) if fewer != edits else None
        if tried is not None and tried.cost <= current.cost and tried.verdict == current.verdict:
            edits, current = fewer, tried
    return edits, current


def _completed(source: str, reference: World, filename: str, base_dir: str) -> tuple[str, str]:
    """The script with what every object must state, and which fields those were."""
    try:
        parse_script(source, filename=filename, base_dir=base_dir)
    except DiagnosticsError as error:
        if not all(d.code == "missing-field" for d in error.diagnostics if d.severity == "error"):
            raise
        wanted = {o.name: {"pos": o.pos, "vel": o.vel, "acc": o.acc} for o in reference.objects}
        changed = with_required_fields(source, wanted, filename=filename)
        parse_script(changed, filename=filename, base_dir=base_dir)
        return changed, "; ".join(d.message for d in error.diagnostics if d.severity == "error")
    return source, ""
