"""Named materials with the contact properties, density and look of real ones."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from fourdcb.errors import UserError
from fourdcb.world.material import Material


def material_preset(name: str) -> Material:
    """The preset material of that name.

    A pair's friction and restitution are the products of its bodies' factors, so a preset's factor is the
    square root of the coefficient that the table gives for the material against itself.

    Raises:
        UserError: for an unknown name.
    """
    presets = _presets()
    if name not in presets:
        raise UserError("no such material", got=name, expected=", ".join(presets))
    return presets[name]


def material_names() -> tuple[str, ...]:
    """Names of all presets, in the order of the table."""
    return tuple(_presets())


def material_sources(name: str) -> Mapping[str, str]:
    """Where each figure of a preset comes from, by figure. Raises UserError for an unknown name."""
    material_preset(name)
    sources: Mapping[str, str] = _table()[name]["sources"]
    return sources


def source_names() -> Mapping[str, str]:
    """The tables that the presets' figures follow, by their short names."""
    sources: Mapping[str, str] = _file()["sources"]
    return sources


def coefficients(name: str) -> Mapping[str, float]:
    """What the table gives for two bodies of the material: friction, restitution; and the density [kg/m³]."""
    entry = _table()[name]
    keys = {
        "friction": "friction_with_itself",
        "restitution": "restitution_with_itself",
        "density": "density",
    }
    return {figure: float(entry[key]) for figure, key in keys.items() if key in entry}


def _table() -> Mapping[str, Any]:
    return {name: entry for name, entry in _file().items() if name != "sources"}


@cache
def _file() -> Mapping[str, Any]:
    text = files("fourdcb_resources").joinpath("materials.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _presets() -> Mapping[str, Material]:
    return {name: _material(name, entry) for name, entry in _table().items()}


def _material(name: str, entry: Mapping[str, Any]) -> Material:
    red, green, blue = (float(c) for c in entry["base_color"])
    return Material(
        name=name,
        base_color=(red, green, blue),
        roughness=float(entry["roughness"]),
        metallic=float(entry["metallic"]),
        friction=_factor(entry.get("friction_with_itself")),
        restitution=_factor(entry.get("restitution_with_itself")),
        density=entry.get("density"),
    )


def _factor(pair_coefficient: float | None) -> float | None:
    return None if pair_coefficient is None else round(math.sqrt(pair_coefficient), 3)
