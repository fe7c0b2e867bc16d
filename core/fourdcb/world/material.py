"""Surface appearance together with the contact properties that a real material brings."""

from __future__ import annotations

from dataclasses import dataclass

from fourdcb.world.fields import NAME, FieldSpec, Vec3, authored

MAPS = ("base_color_map", "normal_map", "roughness_map", "metallic_map")  # fields that name image files


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """Metallic-roughness appearance and, for presets, contact properties and density.

    None is "not stated": :mod:`fourdcb.world.looks` and :mod:`fourdcb.world.contact` say what holds then.
    """

    name: str = authored(NAME, default="matte grey")
    base_color: Vec3 | None = authored(
        FieldSpec(doc="sRGB base colour", lower=0, upper=1, slider=(0, 1), part="looks", group="surface"),
        default=None,
    )
    roughness: float | None = authored(
        FieldSpec(
            doc="perceptual roughness, alpha = roughness²",
            lower=0,
            upper=1,
            slider=(0.02, 1),
            part="looks",
            group="surface",
        ),
        default=None,
    )
    metallic: float | None = authored(
        FieldSpec(
            doc="0 dielectric, 1 metal", lower=0, upper=1, slider=(0, 1), part="looks", group="surface"
        ),
        default=None,
    )
    specular: float | None = authored(
        FieldSpec(
            doc="reflection of a dielectric head-on, 0.08 × specular: 0.5 is 4 %, as in the principled BRDF",
            lower=0, upper=1, slider=(0, 1), part="looks", group="surface",
        ),
        default=None,
    )  # fmt: skip
    opacity: float | None = authored(
        FieldSpec(
            doc="share of the light that the body keeps from passing straight through it; 1 is opaque",
            lower=0, upper=1, slider=(0, 1), part="looks", group="surface", aliases=("alpha",),
        ),
        default=None,
    )  # fmt: skip
    subsurface: float | None = authored(
        FieldSpec(
            doc="share of the diffuse light that has been under the surface",
            lower=0, upper=1, slider=(0, 1), part="looks", group="surface",
        ),
        default=None,
    )  # fmt: skip
    subsurface_color: Vec3 | None = authored(
        FieldSpec(
            doc="sRGB colour of the light from under the surface; default: the base colour",
            lower=0, upper=1, slider=(0, 1), part="looks", group="surface", aliases=("subsurface_colour",),
        ),
        default=None,
    )  # fmt: skip
    friction: float | None = authored(
        FieldSpec(doc="Coulomb friction of a body made of it", lower=0, part="motion"), default=None
    )
    restitution: float | None = authored(
        FieldSpec(doc="coefficient of restitution of a body made of it", lower=0, upper=1, part="motion"),
        default=None,
    )
    density: float | None = authored(
        FieldSpec(doc="mass density", unit="kg/m³", lower=0, exclusive_lower=True, part="motion"),
        default=None,
    )
    base_color_map: str | None = authored(
        FieldSpec(doc="image beside the script that replaces base_color", part="looks", is_file=True),
        default=None,
    )
    normal_map: str | None = authored(
        FieldSpec(doc="tangent-space normal map (OpenGL, +Y up)", part="looks", is_file=True), default=None
    )
    roughness_map: str | None = authored(
        FieldSpec(doc="grey image that multiplies roughness", part="looks", is_file=True), default=None
    )
    metallic_map: str | None = authored(
        FieldSpec(doc="grey image that multiplies metallic", part="looks", is_file=True), default=None
    )
