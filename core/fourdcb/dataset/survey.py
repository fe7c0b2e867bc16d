"""Templates measured: of the samples that they draw, how many are kept, and how what is kept looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from fourdcb.dataset.candidates import Examined, examine
from fourdcb.dataset.degrade import Level
from fourdcb.dataset.templates import template
from fourdcb.errors import UserError
from fourdcb.physics import make_engine
from fourdcb.progress import NullProgress, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """First attempts of one template.

    Attributes:
        template: its name.
        tried, kept: attempts.
        reasons: how often each kind of reason was the first one against an attempt.
        sizes: of the smallest moving body of every kept attempt [px at 256²].
        motion: share of the frames in which something moves, of every kept attempt.
        seconds: length of the clip, of every kept attempt.
    """

    template: str
    tried: int
    kept: int
    reasons: dict[str, int]
    sizes: tuple[float, ...]
    motion: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def share(self) -> float:
        """Of the attempts that are kept."""
        return self.kept / self.tried


def survey(
    names: Sequence[str],
    *,
    count: int,
    seed: int = 0,
    level: Level = "full",
    progress: Progress | None = None,
) -> list[Survey]:
    """Examine the first attempt of ``count`` samples of each template, as ``generate`` would.

    Raises:
        UserError: for an unknown template, or a count under one.
    """
    if count < 1:
        raise UserError("at least one sample is needed", got=str(count))
    templates = [template(name) for name in names]
    told = progress or NullProgress()
    told.start("samples", count * len(templates))
    found = []
    for each in templates:
        tried: list[Examined] = []
        for index in range(count):
            with make_engine() as engine:
                path = f"{each.name}/{index:03d}/0"
                tried.append(examine(each, seed=seed, path=path, level=level, engine=engine))
            told.advance()
        found.append(_measured(each.name, tried))
    return found


def _measured(name: str, tried: Sequence[Examined]) -> Survey:
    shown = [(one.world, one.shown) for one in tried if not one.reasons and one.shown is not None]
    reasons = Counter(one.reasons[0].partition(":")[0] for one in tried if one.reasons)
    return Survey(
        template=name,
        tried=len(tried),
        kept=len(shown),
        reasons=dict(sorted(reasons.items())),
        sizes=tuple(min(s.sizes.values()) for _, s in shown),
        motion=tuple(s.motion for _, s in shown),
        seconds=tuple(world.duration for world, _ in shown),
    )


def survey_lines(surveys: Sequence[Survey]) -> list[str]:
    """The table: kept, smallest moving body and motion (least, median), seconds, reasons."""
    lines = [
        f"{'template':18} {'kept':>7}  {'px min':>6} {'med':>5}  {'motion min':>10} {'med':>5}"
        f"  {'s':>4}  rejected"
    ]
    for one in surveys:
        why = ", ".join(f"{kind} {n}" for kind, n in one.reasons.items()) or "-"
        figures = (
            f"{min(one.sizes):6.0f} {median(one.sizes):5.0f}  {min(one.motion):10.0%}"
            f" {median(one.motion):5.0%}"
            f"  {median(one.seconds):4.1f}"
            if one.kept
            else f"{'-':>6} {'-':>5}  {'-':>10} {'-':>5}  {'-':>4}"
        )
        lines.append(f"{one.template:18} {one.kept:3}/{one.tried:3}  {figures}  {why}")
    return lines
