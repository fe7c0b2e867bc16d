"""What each constructor takes, generated from the world's dataclasses; feeds interpreter and schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_type_hints

from fourdcb.dsl.entities import Kind
from fourdcb.world import (
    AreaLight,
    Camera,
    DirectionalLight,
    Fluid,
    Material,
    Object,
    Plane,
    PointLight,
    World,
)
from fourdcb.world.fields import FieldSpec, spec_of
from fourdcb.world.looks import FINISH, FINISH_FIELDS, LOOK_FIELDS, default_material
from fourdcb.world.material import MAPS

Shape = Literal[
    "number",
    "integer",
    "flag",
    "text",
    "geometry",
    "vector",
    "numbers",
    "vectors",
    "keyframes",
    "material",
    "color",
    "map",
    "things",
    "camera",
]
REQUIRED: Mapping[Kind, tuple[str, ...]] = {
    "Object": ("geometry", "pos", "vel", "acc"),
    "Fluid": ("size", "pos", "acc"),
    "Texture": ("path",),
}
# Fields of a material that an object or plane may state itself.
SURFACE_FIELDS = (*LOOK_FIELDS, *FINISH_FIELDS, *MAPS)
POSITIONAL: Mapping[Kind, tuple[str, ...]] = {
    "World": ("duration", "fps"),
    "Object": ("geometry", "size"),
    "Plane": ("normal", "offset"),
    "Light": ("direction", "intensity"),
    "DirectionalLight": ("direction", "intensity"),
    "PointLight": ("pos", "intensity"),
    "AreaLight": ("pos", "direction"),
    "Camera": ("pos", "target"),
    "Material": (),
    "Texture": ("path",),
    "Fluid": ("size", "pos"),
}
_EXTRA_ALIASES: Mapping[str, tuple[str, ...]] = {
    "ang_vel": ("angular_velocity",),
    "base_color": ("color", "colour"),
    "target": ("look_at",),
    "pos": ("position",),
    "vel": ("velocity", "linear_velocity"),
    "acc": ("acceleration",),
}
_CLASSES: Mapping[Kind, type[Any]] = {
    "World": World,
    "Object": Object,
    "Plane": Plane,
    "Fluid": Fluid,
    "DirectionalLight": DirectionalLight,
    "PointLight": PointLight,
    "AreaLight": AreaLight,
    "Camera": Camera,
    "Material": Material,
}
_OWN_HINTS: Mapping[tuple[Kind, str], str] = {
    ("Plane", "pos"): "A plane is {x : normal · x = offset}: write normal=[0, 0, 1], offset=z.",
    ("Plane", "point"): "A plane is {x : normal · x = offset}: write normal=[0, 0, 1], offset=z.",
    ("Fluid", "mass"): "Write density=…; the mass follows from the volume.",
    ("Fluid", "viscosity"): "A fluid has no viscosity of its own.",
    ("Plane", "mass"): "A plane never moves and has no mass.",
    ("Object", "rotation"): "Write rot=[w, x, y, z], or euler_deg=[x, y, z] in degrees.",
    ("Object", "orientation"): "Write rot=[w, x, y, z], or euler_deg=[x, y, z] in degrees.",
    ("Object", "euler"): "Write euler_deg=[x, y, z], in degrees.",
    ("Object", "type"): "Write geometry=….",
    ("Object", "shape"): "Write geometry=….",
    ("Camera", "rotation"): "Write target=[x, y, z], the point that the camera looks at.",
    ("Camera", "resolution"): "Write width=…, height=….",
    ("Camera", "focal_length"): "Write fov_y_deg=…, the vertical field of view in degrees.",
}
_ONLY_DESCRIBES = "A script only describes its world; the replay runs it."
_HINTS: Mapping[str, str] = {
    "radius": "Sizes are full extents: write size=[2r, 2r, 2r].",
    "height": "Sizes are full extents: write size=[x, y, z].",
    "half_extents": "Sizes are full extents: write size=[x, y, z].",
    "density": "Give a mass, or a material with a density.",
    "gravity": "Gravity is stated per object: acc=[0, 0, -9.8].",
    "transmission": "Refraction is not supported yet; opacity lets light straight through.",
    "clearcoat": "Clearcoat is not supported yet.",
    "ior": "Write specular=…: 0.5 is an index of 1.5, 0.08 × specular is reflected head-on.",
    "emission": "Emission is not supported yet; use an AreaLight.",
    "run": _ONLY_DESCRIBES,
    "simulate": _ONLY_DESCRIBES,
    "step": _ONLY_DESCRIBES,
    "render": _ONLY_DESCRIBES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """One field of a constructor.

    Attributes:
        shape: what kind of value it takes.
        count: number of components of a vector.
        optional: whether None is a value (nothing stated).
        required: whether the script must state it.
        spec: unit, range and meaning.
    """

    name: str
    shape: Shape
    count: int = 0
    optional: bool = False
    required: bool = False
    default: Any = None
    spec: FieldSpec

    @property
    def expected(self) -> str:
        """``3 numbers, m/s²``: what a right value looks like."""
        words: dict[Shape, str] = {
            "number": "a number",
            "integer": "a whole number",
            "flag": "True or False",
            "text": "a text",
            "geometry": 'sphere, box, cylinder, cone, capsule, or mesh="file.obj"',
            "vector": f"{self.count} numbers",
            "numbers": "a list of numbers",
            "vectors": "a list of [x, y, z]",
            "keyframes": "a list of (t, [x, y, z], [w, x, y, z])",
            "material": "a material name or Material(…)",
            "color": "3 numbers (sRGB, 0 … 1) or Texture(…)",
            "map": "a file name or Texture(…)",
            "things": "a list of what the constructors made",
            "camera": "a Camera(…)",
        }
        return words[self.shape] + (f", {self.spec.unit}" if self.spec.unit else "")


@cache
def rules_of(kind: Kind) -> Mapping[str, FieldRule]:
    """Rules of a constructor by canonical field name, in the dataclass's order."""
    if kind == "Texture":
        return {"path": _rule("path", str, "image file beside the script", kind)}
    if kind == "Light":
        return {**rules_of("AreaLight"), **rules_of("PointLight"), **rules_of("DirectionalLight")}
    cls = _CLASSES[kind]
    hints = get_type_hints(cls)
    found: dict[str, FieldRule] = {}
    for f in dataclasses.fields(cls):
        spec = spec_of(f)
        if spec is not None and spec.part != "provenance":
            default = default_of(f)
            if kind == "Material" and default is None:
                default = getattr(default_material(), f.name, None)
                default = FINISH.get(f.name) if default is None else default
            found[f.name] = _rule(f.name, hints[f.name], spec, kind, default)
    if kind == "Object":
        found["euler_deg"] = _rule(
            "euler_deg",
            tuple[float, float, float],
            FieldSpec(doc="start orientation, intrinsic X-Y-Z", unit="deg"),
            kind,
        )
    if kind in ("Object", "Plane", "Fluid"):
        surface = rules_of("Material")
        found |= {
            name: dataclasses.replace(surface[name], optional=True, default=None) for name in SURFACE_FIELDS
        }
    return found


def class_of(kind: Kind) -> type[Any]:
    """The world's dataclass of a constructor."""
    return _CLASSES[kind]


def default_of(f: dataclasses.Field[Any]) -> Any:
    """Default of a dataclass field; None when it has none."""
    if f.default is not dataclasses.MISSING:
        return f.default
    return f.default_factory() if f.default_factory is not dataclasses.MISSING else None


def _rule(name: str, hint: Any, spec: FieldSpec | str, kind: Kind, default: Any = None) -> FieldRule:
    shape, count = _shape(name, hint)
    return FieldRule(
        name=name,
        shape=shape,
        count=count,
        optional=type(None) in getattr(hint, "__args__", ()),
        required=name in REQUIRED.get(kind, ()),
        default=default,
        spec=FieldSpec(doc=spec) if isinstance(spec, str) else spec,
    )


def _shape(name: str, hint: Any) -> tuple[Shape, int]:
    by_name: dict[str, Shape] = {
        "geometry": "geometry",
        "trajectory": "keyframes",
        "material": "material",
        "base_color": "color",
        "camera": "camera",
        "objects": "things",
        "planes": "things",
        "lights": "things",
        "fluids": "things",
    }
    if name in by_name:
        return by_name[name], 3 if name == "base_color" else 0
    if name.endswith("_map"):
        return "map", 0
    members = [arg for arg in getattr(hint, "__args__", ()) if arg is not type(None)]
    if type(None) in getattr(hint, "__args__", ()):
        hint = members[0]
    plain: dict[Any, Shape] = {float: "number", int: "integer", bool: "flag", str: "text"}
    if hint in plain:
        return plain[hint], 0
    if Ellipsis in hint.__args__:
        inner = getattr(hint.__args__[0], "__args__", ())
        return ("vectors", len(inner)) if inner else ("numbers", 0)
    return "vector", len(hint.__args__)


@cache
def spellings(kind: Kind) -> Mapping[str, str]:
    """Canonical field name of every accepted spelling."""
    table: dict[str, str] = {}
    for name, rule in rules_of(kind).items():
        for alias in (*rule.spec.aliases, *_EXTRA_ALIASES.get(name, ())):
            table.setdefault(alias, name)
    return {**table, **{name: name for name in rules_of(kind)}}


def suggestion(kind: Kind, written: str) -> str | None:
    """A hint for an unknown field name."""
    if (kind, written) in _OWN_HINTS:
        return _OWN_HINTS[kind, written]
    if written.startswith("set_") and (name := spellings(kind).get(written[4:])) is not None:
        return f"Write thing.{name} = …."
    if written in _HINTS and written not in spellings(kind):
        return _HINTS[written]
    near = get_close_matches(written[:60], list(spellings(kind)), n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{spellings(kind)[near[0]]}'?"
    return f"{kind} has: {', '.join(rules_of(kind))}."
