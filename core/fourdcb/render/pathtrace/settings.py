"""How a path-traced picture is made."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.errors import UserError

MAX_SPP = 65536
MAX_DEPTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSettings:
    """What a path tracer is asked beside :class:`~fourdcb.render.RenderSettings`.

    Attributes:
        spp: light paths per pixel of a frame; the poses within a shutter share them. The sampler may round
            each share up to a number that it can stratify.
        seed: root of all random numbers; equal seeds give equal pictures on one machine and variant.
        max_depth: longest path from the camera [segments]; 2 is direct light, more adds interreflection.
        direct_only: whether to stop at direct light, as the raster backend does.
        variant: Mitsuba variant; None is the fastest that works here (see :func:`usable_variant`).
    """

    spp: int = 128
    seed: int = 0
    max_depth: int = 8
    direct_only: bool = False
    variant: str | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.spp <= MAX_SPP:
            raise UserError("spp is out of range", got=str(self.spp), expected=f"1 … {MAX_SPP}")
        if self.seed < 0:
            raise UserError("the seed is negative", got=str(self.seed), expected="0 or more")
        if not 2 <= self.max_depth <= MAX_DEPTH:
            raise UserError("max_depth is out of range", got=str(self.max_depth), expected=f"2 … {MAX_DEPTH}")

    @property
    def depth(self) -> int:
        """Longest path that is traced [segments]."""
        return 2 if self.direct_only else self.max_depth
