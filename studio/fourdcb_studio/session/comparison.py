"""What is compared with what, how, and what is selected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

Mode = Literal["side", "three", "wipe", "blink", "difference", "before_after", "with_difference"]
MODES: tuple[Mode, ...] = (
    "side", "three", "wipe", "blink", "difference", "before_after", "with_difference"
)  # fmt: skip
MapMeasure = Literal["ssim", "flow"]
Measure = Literal["color", "ssim", "flow"]
"""What the difference shows at each pixel: colours, structure, or motion."""
MEASURES: tuple[Measure, ...] = ("color", "ssim", "flow")
Base = Literal["none", "reference", "candidate"]
"""What the difference lies over."""
BASES: tuple[Base, ...] = ("none", "reference", "candidate")
MAX_GAIN = 64.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonState:
    """One way of looking at the images.

    Attributes:
        mode: how the images are arranged.
        wipe: position of the divider, 0 … 1 of the image's width.
        gain: factor on the difference, 1 … 64.
        signed: signed difference (candidate − reference) or its size; of colours only.
        measure: what the difference is of.
        base: the picture that the difference lies over, or none.
        opacity: of the difference over it, 0 … 1.
        offset: frames by which the candidate is looked at ahead of the clock.
        hold_reference: the reference is shown in place of the replay while a key is held.
        outlines: whether the bodies' silhouettes lie over the images.
        edges: whether the original's edges lie over the replay.
        before: ``"saved"`` for the script on disk, else the name of a snapshot.
    """

    mode: Mode = "side"
    wipe: float = 0.5
    gain: float = 4.0
    signed: bool = True
    measure: Measure = "color"
    base: Base = "none"
    opacity: float = 0.8
    offset: int = 0
    hold_reference: bool = False
    before: str = "saved"
    outlines: bool = False
    edges: bool = False

    @property
    def shows_difference(self) -> bool:
        """Whether a difference is on screen."""
        return self.mode in ("difference", "with_difference")

    @property
    def shows_before(self) -> bool:
        """Whether the replay before the edit is on screen."""
        return self.mode in ("three", "before_after", "wipe")


class Comparison:
    """Holder of the comparison state; tells when it changes."""

    def __init__(self) -> None:
        self.state = ComparisonState()
        self.on_change: Callable[[], None] = lambda: None

    def update(
        self,
        *,
        mode: Mode | None = None,
        wipe: float | None = None,
        gain: float | None = None,
        signed: bool | None = None,
        measure: Measure | None = None,
        base: Base | None = None,
        opacity: float | None = None,
        offset: int | None = None,
        hold_reference: bool | None = None,
        before: str | None = None,
        outlines: bool | None = None,
        edges: bool | None = None,
    ) -> None:
        """Change what is given; values are clipped to their ranges."""
        new = self.state
        if mode is not None:
            if mode not in MODES:
                raise ValueError(f"no comparison mode {mode!r}")
            new = replace(new, mode=mode)
        if wipe is not None:
            new = replace(new, wipe=min(max(wipe, 0.0), 1.0))
        if gain is not None:
            new = replace(new, gain=min(max(gain, 1.0), MAX_GAIN))
        if opacity is not None:
            new = replace(new, opacity=min(max(opacity, 0.0), 1.0))
        new = replace(
            new,
            measure=measure or new.measure,
            base=base or new.base,
            signed=new.signed if signed is None else signed,
            offset=new.offset if offset is None else offset,
            hold_reference=new.hold_reference if hold_reference is None else hold_reference,
            before=new.before if before is None else before,
            outlines=new.outlines if outlines is None else outlines,
            edges=new.edges if edges is None else edges,
        )
        if new != self.state:
            self.state = new
            self.on_change()


class Selection:
    """The selected object, finding and parameter."""

    def __init__(self) -> None:
        self.object: str | None = None
        self.finding: int | None = None
        self.parameter: str | None = None
        self.on_change: Callable[[], None] = lambda: None

    def select(
        self, *, object_name: str | None = None, finding: int | None = None, parameter: str | None = None
    ) -> None:
        """Select what is given and keep the rest."""
        before = (self.object, self.finding, self.parameter)
        self.object = object_name or self.object
        self.finding = self.finding if finding is None else finding
        self.parameter = parameter or self.parameter
        if (self.object, self.finding, self.parameter) != before:
            self.on_change()

    def clear(self) -> None:
        """Nothing is selected."""
        self.object = self.finding = self.parameter = None
        self.on_change()
