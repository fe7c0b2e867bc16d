"""A fluid: a box full of it at t = 0, which then flows."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.world.fields import NAME, FieldSpec, Vec3, authored
from fourdcb.world.material import Material


@dataclass(frozen=True, slots=True, kw_only=True)
class Fluid:
    """An incompressible fluid without viscosity. At t = 0 it fills a box, as far as no solid does."""

    name: str = authored(NAME)
    size: Vec3 = authored(
        FieldSpec(
            doc="full extents of the box that it fills at t = 0", unit="m", lower=0, exclusive_lower=True,
            upper=100.0, slider=(0.05, 2.0), scale="log", part="motion", group="start",
        )
    )  # fmt: skip
    pos: Vec3 = authored(
        FieldSpec(
            doc="centre of that box", unit="m", slider=(-2, 2), part="motion", group="start",
            aliases=("position",),
        )
    )  # fmt: skip
    vel: Vec3 = authored(
        FieldSpec(
            doc="velocity of all of it at t = 0", unit="m/s", slider=(-5, 5), part="motion", group="start",
            aliases=("velocity",),
        ),
        default=(0.0, 0.0, 0.0),
    )  # fmt: skip
    acc: Vec3 = authored(
        FieldSpec(
            doc="acceleration field on the fluid (gravity)", unit="m/s²", slider=(-20, 20), part="motion",
            group="start", aliases=("gravity",),
        )
    )  # fmt: skip
    density: float = authored(
        FieldSpec(
            doc="density; water 1000", unit="kg/m³", lower=1.0, upper=30_000.0, slider=(500, 2000),
            part="motion", group="mass",
        ),
        default=1000.0,
    )  # fmt: skip
    material: Material = authored(
        FieldSpec(doc="preset name or Material of its surface", part="nested"),
        default_factory=lambda: Material(
            name="water", base_color=(0.25, 0.5, 0.7), roughness=0.12, metallic=0.0, opacity=0.7
        ),
    )
