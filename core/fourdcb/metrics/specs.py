"""Every metric in one row. Criteria, judge, names, terminal, pages, the Studio and the docs follow from it.

A new metric is a row here, a function of (Comparison, Criteria) that measures it, its words in the catalogue
(``metrics.NAME`` in ``words/en.toml``), and a threshold in the criteria file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fourdcb.metrics.result import Axis, Side

Form = Literal["plain", "share", "grey_levels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """What is fixed about one metric; a criteria file chooses the threshold only.

    Attributes:
        id: its name in reports and criteria.
        axis: which axis it judges; None for measures of pictures, which illustrate and are not judged.
        unit: "" for plain numbers and shares.
        direction: the side of the threshold that passes, or that is better.
        symbol: one word for terminals, such as ``Δ_pos``; "" where it has none.
        form: how people are told its values: as they are, shares in percent, brightness of 255.
        decimals: fixed, so that columns compare; None tells three significant digits.
        function: where it is measured: ``module:name`` of a function of (Comparison, Criteria); ""
            for what is measured elsewhere and handed to the judge. By name, since readers of reports need
            nothing of what measuring imports.
        drawn: needs pictures, and is skipped in a fast judgement.
        of_machine: tells of the machine rather than of the script.
        judged: measures of pictures: whether a judgement has it; else only the comparison of two videos.
        curves: names of its response curves, where they are not its own name.
    """

    id: str
    axis: Axis | None
    unit: str = ""
    direction: Side = "below"
    symbol: str = ""
    form: Form = "plain"
    decimals: int | None = None
    function: str = ""
    drawn: bool = False
    of_machine: bool = False
    judged: bool = True
    curves: tuple[str, ...] = ()


SPECS: tuple[MetricSpec, ...] = (
    MetricSpec(
        id="delta_pos", axis="geometry", unit="m", symbol="Δ_pos", function="geometry.poses:delta_pos",
    ),
    MetricSpec(
        id="delta_pos_relative", axis="geometry", symbol="Δ_pos/d", form="share",
        function="geometry.poses:delta_pos_relative",
    ),
    MetricSpec(
        id="delta_rot", axis="geometry", unit="deg", symbol="Δ_rot", function="geometry.poses:delta_rot",
    ),
    MetricSpec(
        id="delta_scale", axis="geometry", symbol="Δ_scale", form="share",
        function="geometry.poses:delta_scale",
    ),
    MetricSpec(
        id="energy_error", axis="physics", symbol="Energy_Error", form="share",
        function="contact.metrics:energy_error",
        curves=("energy_error_restitution", "energy_error_friction"),
    ),
    MetricSpec(
        id="collision_accuracy", axis="physics", direction="above", symbol="Collision_Accuracy", form="share",
        function="contact.metrics:collision_accuracy",
    ),
    MetricSpec(
        id="impact_error", axis="physics", symbol="Impact_Error", form="share",
        function="contact.metrics:impact_error",
    ),
    MetricSpec(
        id="brdf_error", axis="material_light", symbol="BRDF_Error", drawn=True,
        function="light.metrics:brdf_error",
    ),
    MetricSpec(
        id="light_drift", axis="material_light", unit="deg", symbol="Light_Drift", drawn=True,
        function="light.metrics:light_drift",
    ),
    MetricSpec(
        id="light_offset", axis="material_light", unit="deg", symbol="Light_Offset", drawn=True,
        function="light.metrics:light_offset",
    ),
    MetricSpec(
        id="light_spread", axis="material_light", unit="deg", symbol="Light_Spread", drawn=True,
        function="light.metrics:light_spread",
    ),
    MetricSpec(
        id="shadow_error", axis="material_light", unit="px", symbol="Shadow_Error", drawn=True,
        function="light.metrics:shadow_error",
    ),
    MetricSpec(
        id="appearance_error", axis="material_light", unit="stops", symbol="Appearance_Error", drawn=True,
        function="light.metrics:appearance_error",
    ),
    MetricSpec(
        id="appearance_patch", axis="material_light", unit="stops", symbol="Appearance_Patch", drawn=True,
        function="light.metrics:appearance_patch",
    ),
    MetricSpec(
        id="irradiance_error", axis="material_light", unit="stops", symbol="Irradiance_Error", drawn=True,
        function="light.metrics:irradiance_error",
    ),
    MetricSpec(
        id="drift_rate", axis="time", unit="mm per 1/30 s", symbol="Drift_Rate",
        function="geometry.drift:drift_rate",
    ),
    MetricSpec(
        id="replay_fps", axis="time", unit="1/s", direction="above", symbol="Replay_FPS", drawn=True,
        of_machine=True,
    ),
    MetricSpec(id="psnr", axis=None, unit="dB", direction="above", decimals=1),
    MetricSpec(id="ssim", axis=None, direction="above", decimals=3),
    MetricSpec(id="flow_error", axis=None, unit="px", decimals=2),
    MetricSpec(id="silhouette_iou", axis=None, direction="above", form="share", decimals=1),
    MetricSpec(id="difference", axis=None, form="grey_levels", decimals=1, judged=False),
)  # fmt: skip


def spec_of(name: str) -> MetricSpec:
    """The row of a metric; a plain one for names that no row has, as other releases' reports may."""
    return next((spec for spec in SPECS if spec.id == name), MetricSpec(id=name, axis=None, judged=False))


def specs_of(axis: Axis | None) -> tuple[MetricSpec, ...]:
    """The rows of an axis in their order, or those of pictures."""
    return tuple(spec for spec in SPECS if spec.axis == axis)


def metrics_of(axis: Axis) -> tuple[str, ...]:
    """Names of an axis's metrics in their order."""
    return tuple(spec.id for spec in specs_of(axis))


def metric_symbol(name: str) -> str:
    """A metric in one word, such as ``Δ_pos``; "" where it has none."""
    return spec_of(name).symbol


def is_share(name: str) -> bool:
    """Whether a metric is a share of something, and told in percent."""
    return spec_of(name).form == "share"
