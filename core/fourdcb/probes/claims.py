"""What may be said of a probe: a claim needs its controls, and one that does not behave blocks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fourdcb.probes.inputs import METADATA
from fourdcb.probes.intervals import Estimate, Tested, balanced_difference, balanced_estimate, pooled
from fourdcb.probes.testing import Answers
from fourdcb.randomness import generator

CONTROL_CONFIDENCE = 0.99  # of "at chance": many controls are looked at, and few false alarms are wanted
LEAST_SEEDS = 3
Status = Literal["holds", "blocked", "not_checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One control.

    Attributes:
        name: stable word.
        expected: what it must do, in words.
        estimate: its score, or a difference to it.
        behaves: whether it does; None where it could not be looked at.
    """

    name: str
    expected: str
    estimate: Estimate | None
    behaves: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence that a reader may want to say, with what stands against it."""

    name: str
    says: str
    status: Status
    reasons: tuple[str, ...]


def controls_of(
    answers: Sequence[Answers], others: Mapping[str, Sequence[Answers]], *, chance: float, physical: bool
) -> tuple[Control, ...]:
    """All controls of one probe.

    Args:
        answers: of its seeds.
        others: answers of the same seeds by the encoders it is compared with: ``random``, ``colour_motion``
            by the same head, ``metadata`` by its better head on validation. Missing ones are not checked.
        chance: balanced accuracy of guessing.
        physical: whether metadata must tell nothing of the target.
    """
    own = pooled([one.tested for one in answers])
    seed = answers[0].name
    rng = generator(0, f"controls/{seed.target}/{seed.encoder}/{seed.head}")
    shuffled = pooled([tested for one in answers for tested in one.shuffled])
    found = [_at_chance("shuffled_labels", shuffled, chance, rng)]
    if METADATA in others:
        metadata = pooled([one.tested for one in others[METADATA]])
        if physical:
            found.append(_at_chance("metadata_at_chance", metadata, chance, rng, above_only=True))
        found.append(_beaten("metadata", own, metadata, rng))
    else:
        found.append(_missing("metadata", "scores less than the probe"))
    for name in ("random", "colour_motion"):
        if name in others:
            found.append(_beaten(name, own, pooled([one.tested for one in others[name]]), rng))
        else:
            found.append(_missing(name, "scores less than the probe"))
    if all(one.one_frame is not None for one in answers):
        frames = pooled([one.one_frame for one in answers if one.one_frame is not None])
        found.append(_beaten("one_frame", own, frames, rng))
    for order in ("reversed", "shuffled"):
        if all(order in one.altered for one in answers):
            altered = pooled([one.altered[order] for one in answers])
            found.append(_beaten(f"{order}_frames", own, altered, rng))
    return tuple(found)


def _at_chance(
    name: str, tested: Tested, chance: float, rng: np.random.Generator, *, above_only: bool = False
) -> Control:
    estimate = balanced_estimate(tested, rng=rng, confidence=CONTROL_CONFIDENCE)
    behaves = None
    if estimate.low is not None and estimate.high is not None:
        behaves = estimate.low <= chance and (above_only or estimate.high >= chance)
    return Control(name=name, expected=f"at chance ({chance:.3f})", estimate=estimate, behaves=behaves)


def _beaten(name: str, own: Tested, other: Tested, rng: np.random.Generator) -> Control:
    estimate = balanced_difference(own, other, rng=rng)
    behaves = None if estimate.low is None else estimate.low > 0.0
    return Control(name=name, expected="scores less than the probe", estimate=estimate, behaves=behaves)


def _missing(name: str, expected: str) -> Control:
    return Control(name=name, expected=expected, estimate=None, behaves=None)


_SAYS = {
    "readable": "the target can be read from these features above chance",
    "seen": "it is read from the pictures, not from what is known without them",
    "learned": "training put it there: the same architecture untrained tells less",
    "beyond_colour_motion": "it is more than colours and differences of frames tell",
    "time": "it is read from the course of time, not from one frame",
}
# Controls that each claim needs, beside "readable" for all.
_NEEDS: dict[str, tuple[str, ...]] = {
    "readable": ("shuffled_labels",),
    "seen": ("metadata_at_chance", "metadata"),
    "learned": ("random",),
    "beyond_colour_motion": ("colour_motion",),
    "time": ("one_frame", "reversed_frames", "shuffled_frames"),
}


def claims_of(
    estimate: Estimate,
    controls: Sequence[Control],
    *,
    chance: float,
    seeds: int,
    leaks: int,
    trainings: int,
    trained: bool,
    baseline: bool,
) -> tuple[Claim, ...]:
    """What may be said of a probe.

    Args:
        estimate: its balanced accuracy.
        controls: by :func:`controls_of`.
        chance: of guessing.
        seeds: splits it was tested on.
        leaks: found.
        trainings: different trainings whose test was looked at.
        trained: whether the encoder has learned anything.
        baseline: whether it is a baseline itself, of which nothing but "readable" and "time" is asked.
    """
    against = _against(estimate, chance=chance, seeds=seeds, leaks=leaks, trainings=trainings)
    found: list[Claim] = []
    base: list[str] = []
    for name, says in _SAYS.items():
        if (name == "learned" and not trained) or (baseline and name not in ("readable", "time")):
            continue
        wanted = [control for control in controls if control.name in _NEEDS[name]]
        failing = [
            f"{control.name}: expected {control.expected}, {_found(control)}"
            for control in wanted if control.behaves is False
        ]  # fmt: skip
        unchecked = [control.name for control in wanted if control.behaves is None] or (
            [] if wanted else list(_NEEDS[name])
        )
        reasons = [*(against if name == "readable" else base), *failing]
        status: Status = "blocked" if reasons else ("not_checked" if unchecked else "holds")
        if not reasons and unchecked:
            reasons = [f"not checked: {', '.join(unchecked)}"]
        if name == "readable" and status != "holds":
            base = ["it is not readable to begin with"]
        found.append(Claim(name=name, says=says, status=status, reasons=tuple(reasons)))
    return tuple(found)


def _against(estimate: Estimate, *, chance: float, seeds: int, leaks: int, trainings: int) -> list[str]:
    reasons = []
    if estimate.low is None:
        reasons.append(f"{estimate.groups} groups were tested; an interval needs three")
    elif estimate.low <= chance:
        reasons.append(f"the interval begins at {estimate.low:.3f}, chance is {chance:.3f}")
    if seeds < LEAST_SEEDS:
        reasons.append(f"{seeds} seed(s); three are needed")
    if leaks:
        reasons.append(f"{leaks} leak(s)")
    if trainings > 1:
        reasons.append(f"the test part was looked at for {trainings} different trainings of this probe")
    return reasons


def _found(control: Control) -> str:
    estimate = control.estimate
    if estimate is None or estimate.low is None or estimate.high is None:
        return "not measured"
    what = "it scores" if control.expected.startswith("at chance") else "the probe's lead over it is"
    return f"{what} {estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
