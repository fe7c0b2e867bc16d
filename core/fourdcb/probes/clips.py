"""Clips that a probe is asked about: where they come from, what they share, what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from fourdcb.probes.windows import Window


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Something that a probe may be asked to read.

    Attributes:
        name: as the command line says it.
        meaning: in words, with units and bounds of its classes.
        physical: a property that no metadata may tell: the metadata probe must stay at chance.
        moment: a property of one moment inside the window. It may be read from tokens that have not seen
            what comes after, never from [CLS], which sums the whole window.
    """

    name: str
    meaning: str = ""
    physical: bool = False
    moment: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One video.

    Attributes:
        id: unique in its source.
        video: its file.
        group: what it must stay together with (source video, scene, person, day).
        keys: further things that clips may share (``seed:…``, ``mesh:…``); whoever shares one stays together.
        metadata: what is known without looking: numbers, or words that become one column each.
        stated: labels that were given, not found out.
        script: world script of a generated clip, or None.
    """

    id: str
    video: Path
    group: str
    keys: frozenset[str] = frozenset()
    metadata: Mapping[str, float | str] = field(default_factory=dict)
    stated: Mapping[str, str] = field(default_factory=dict)
    script: Path | None = None


class ClipSource(Protocol):
    """Where clips and labels come from."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """What may be asked."""
        ...

    def clips(self) -> tuple[Clip, ...]:
        """All clips, in a fixed order. Raises UserError for what is missing or contradictory."""
        ...

    def labels(self, clip: Clip, windows: Sequence[Window]) -> Mapping[str, Sequence[str | None]]:
        """Class of every window by target; None where the question makes no sense."""
        ...

    def files(self, clip: Clip) -> tuple[Path, ...]:
        """Files that the labels of a clip depend on, beside its video."""
        ...
