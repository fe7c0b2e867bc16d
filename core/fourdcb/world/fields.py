"""Field metadata: one place that says unit, range, slider and meaning of every authored value.

The validator, the parameter view, ``fourdcb schema`` and the Studio's sliders are all generated from it.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field
from typing import Any, Literal

Scale = Literal["linear", "log"]
Stage = Literal["physics", "render"]
Part = Literal["name", "shape", "motion", "looks", "level", "camera", "clip", "nested", "provenance"]
Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """What a field means.

    Attributes:
        doc: one sentence.
        unit: SI unit, or "" when dimensionless.
        lower, upper: legal bounds (inclusive unless ``exclusive_lower``), None when open.
        slider: sensible interval for a slider [unit]; None when the field has no slider.
        scale: how a slider spreads it.
        part: what the value belongs to (:mod:`fourdcb.world.parts` says which stage reads which):
            ``shape`` is simulated and drawn, ``motion`` only simulated, ``looks`` only drawn, a ``level`` is
            a factor on light that is drawn already, ``camera`` the view, ``clip`` the clock, ``nested`` holds
            things with fields of their own, ``provenance`` takes no part in anything; None: not of a world.
        is_file: whether it names a file, relative to the script's folder.
        group: heading under which the Studio lists it.
        aliases: other spellings that scripts may use.
    """

    doc: str
    unit: str = ""
    lower: float | None = None
    upper: float | None = None
    exclusive_lower: bool = False
    slider: tuple[float, float] | None = None
    scale: Scale = "linear"
    part: Part | None = None
    is_file: bool = False
    group: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def stage(self) -> Stage:
        """The first stage that must run again when the value changes."""
        return "render" if self.part in ("looks", "level", "camera") else "physics"


NAME = FieldSpec(doc="name, unique in the world", part="name")


def authored(spec: FieldSpec, **kwargs: Any) -> Any:
    """A dataclass field that carries its :class:`FieldSpec`."""
    return field(metadata={"spec": spec}, **kwargs)


def spec_of(dataclass_field: Field[Any]) -> FieldSpec | None:
    """The :class:`FieldSpec` of a dataclass field, or None when it is not authored."""
    spec = dataclass_field.metadata.get("spec")
    return spec if isinstance(spec, FieldSpec) else None
