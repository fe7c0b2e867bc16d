"""The documentation page of the material presets: every figure with its source, estimates marked as such."""

from __future__ import annotations

from collections.abc import Iterator

from fourdcb.world.material import Material
from fourdcb.world.presets import (
    coefficients,
    material_names,
    material_preset,
    material_sources,
    source_names,
)

_FIGURES = ("friction", "restitution", "density")
_INTRODUCTION = """\
`material="oak"` gives a body the look, the contact factors and, when it states no mass, the density of a
preset. What the body states itself comes first.

Friction and restitution belong to pairs: the engine multiplies the factors of the two bodies. A preset's
factor is the square root of the figure for two bodies of that material, so two like bodies give the figure
back; for unlike bodies the product is only a guess. Friction is the sliding coefficient where tables tell it
from the static one. Restitution depends on speed and shape; the figures are for compact bodies at 1 m/s.

A named source says which table a figure follows; editions differ and dry friction scatters widely between
samples, so measure where it matters. This page is generated from `materials.toml`.
"""


def materials_markdown() -> str:
    """The whole page."""
    stated = [name for name in material_names() if coefficients(name)]
    said = [material_sources(name)[figure] for name in stated for figure in _FIGURES]
    estimates = sum(text.startswith("EST") for text in said)
    lines = ["# Materials", "", _INTRODUCTION]
    lines += [f"Of {len(said)} figures **{estimates} are estimates** (EST).", "", "| source | |", "|---|---|"]
    lines += [f"| {key} | {text} |" for key, text in source_names().items()]
    lines += ["", "## Contact and density", "", *_contact_table(stated)]
    lines += [
        "",
        "## Looks and factors",
        "",
        "Looks are by eye. A dash: `matte grey`, the default, states none.",
        "",
    ]
    lines += [*_look_table(), ""]
    return "\n".join(lines)


def _contact_table(names: list[str]) -> Iterator[str]:
    yield "| material | friction with itself | restitution with itself | density, kg/m³ |"
    yield "|---|---|---|---|"
    for name in names:
        figures, sources = coefficients(name), material_sources(name)
        cells = (f"{figures[figure]:g}<br>{sources[figure]}" for figure in _FIGURES)
        yield f"| `{name}` | {' | '.join(cells)} |"


def _look_table() -> Iterator[str]:
    yield "| material | base colour (sRGB) | roughness | metallic | friction | restitution |"
    yield "|---|---|---|---|---|---|"
    for material in map(material_preset, material_names()):
        color = ", ".join(f"{c:g}" for c in material.base_color or ())
        cells = [f"`{material.name}`", color, f"{material.roughness:g}", f"{material.metallic:g}"]
        cells += [_factor(material, "friction"), _factor(material, "restitution")]
        yield f"| {' | '.join(cells)} |"


def _factor(material: Material, name: str) -> str:
    value: float | None = getattr(material, name)
    return "–" if value is None else f"{value:g}"
