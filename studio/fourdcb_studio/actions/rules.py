"""Which actions can do something in the present state, and why the others cannot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from fourdcb.words import tr
from fourdcb_studio.actions.table import ACTIONS, BENCH_GROUPS
from fourdcb_studio.bench import Bench
from fourdcb_studio.session.parameter_set import ParameterSet
from fourdcb_studio.session.scene_session import SceneSession

_OF_SCENE = frozenset({spec.id for spec in ACTIONS if spec.group in ("Compare", "Play")}) | {
    "export_clip", "export_view", "export_frame", "copy_image", "copy_frame",
    "fit", "actual_size", "zoom_in", "zoom_out", "time_all", "export_plots",
}  # fmt: skip
_OF_SCRIPT = frozenset({
    "save", "save_as", "undo", "redo", "reset_all", "solve", "snapshot", "snapshots", "apply_snapshot",
    "mode_three", "mode_before_after", "apply_cause",
})  # fmt: skip
_ON_BENCH = frozenset({spec.id for spec in ACTIONS if spec.group in BENCH_GROUPS})
_CONFLICT = frozenset({"keep_mine", "load_theirs", "show_disk_difference"})


@dataclass(frozen=True, slots=True)
class Rule:
    """What some actions need, and the words for its lack."""

    ids: frozenset[str]
    holds: Callable[[Bench], bool]
    lack: str


@cache
def rules() -> tuple[Rule, ...]:
    """Every need of every action; the first that is not met is the reason that is told."""
    return (
        Rule(_ON_BENCH, lambda b: not b.navigation.is_covered, tr("not while the library is shown")),
        Rule(_OF_SCENE, lambda b: bool(b.session.sources.title), tr("nothing is open")),
        Rule(_OF_SCRIPT, lambda b: b.session.parameters is not None, tr("no valid script is open")),
        Rule(
            frozenset({"reload"}),
            lambda b: b.navigation.is_covered or b.session.document is not None,
            tr("no valid script is open"),
        ),
        Rule(frozenset({"save"}), lambda b: b.session.unsaved, tr("no unsaved edits")),
        Rule(frozenset({"undo"}), lambda b: b.session.can_undo, tr("no edit to undo")),
        Rule(frozenset({"redo"}), lambda b: b.session.can_redo, tr("no edit to redo")),
        Rule(frozenset({"reset_all"}), lambda b: bool(_edits(b).changed), tr("no value is edited")),
        Rule(frozenset({"apply_snapshot"}), lambda b: bool(_edits(b).snapshots), tr("no snapshot is taken")),
        Rule(
            frozenset({"solve"}),
            lambda b: b.session.sources.video is not None or b.session.reference is not None,
            tr("nothing to fit to"),
        ),
        Rule(frozenset({"export_report"}), lambda b: b.session.report is not None, tr("not judged yet")),
        Rule(
            frozenset({"previous_finding", "next_finding"}),
            lambda b: any(f.frame is not None for f in b.session.findings),
            tr("no finding has a frame"),
        ),
        Rule(frozenset({"apply_cause"}), lambda b: _suggests(b.session), tr("no suggestion is selected")),
        Rule(
            frozenset({"previous_case", "next_case"}),
            lambda b: _has_other_case(b.session),
            tr("no other case"),
        ),
        Rule(
            frozenset({"previous_in_library", "next_in_library"}),
            lambda b: _has_places(b) or _has_other_case(b.session),
            tr("no other case"),
        ),
        Rule(
            frozenset({"show_library", "search_cases"}),
            _has_places,
            tr("no library is open"),
        ),
        Rule(frozenset({"show_runs"}), lambda b: b.navigation.runs.is_open, tr("no run is open")),
        Rule(frozenset({"undo_seek"}), lambda b: b.session.clock.has_jumped, tr("no jump yet")),
        Rule(frozenset({"clear_range"}), lambda b: b.session.clock.has_loop_range, tr("no range is set")),
        Rule(
            frozenset({"offset_reset"}), lambda b: b.session.comparison.state.offset != 0, tr("not shifted")
        ),
    )


def why_not(bench: Bench, action_id: str) -> str:
    """Why an action would do nothing now, in a few words; "" when it can be used."""
    return next((r.lack for r in rules() if action_id in r.ids and not r.holds(bench)), "")


def is_offered(bench: Bench, action_id: str) -> bool:
    """Whether an action means anything now: the answer to a question that nobody asks does not."""
    if action_id in _CONFLICT:
        return bench.session.disk_conflict
    if action_id == "recover":
        return bench.session.left.count > 0
    return action_id != "dismiss" or bench.session.message is not None


def _has_places(bench: Bench) -> bool:
    """Whether there is a library or a run to go through."""
    return bench.navigation.library.is_open or bench.navigation.runs.is_open


def _edits(bench: Bench) -> ParameterSet:
    assert bench.session.parameters is not None  # the rule that asks for a script comes first
    return bench.session.parameters


def _suggests(session: SceneSession) -> bool:
    index = session.selection.finding
    found = session.findings[index : index + 1] if index is not None else ()
    return any(f.likely_cause is not None and f.likely_cause.suggested is not None for f in found)


def _has_other_case(session: SceneSession) -> bool:
    return any(path != session.sources.script for path in session.sources.cases)
