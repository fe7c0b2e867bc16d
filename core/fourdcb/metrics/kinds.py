"""Every kind of finding in one row; its sentences stand in the catalogue, under ``findings.KIND``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fourdcb.metrics.result import Axis, Cause, Finding, FindingSeverity


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """What is fixed about one kind of finding.

    Attributes:
        id: its name in reports.
        axis: which axis it belongs to.
        unit: of what was measured and expected; "" for plain numbers.
        severity: how grave it is.
        mendable: whether changing one number of the script can mend it.
        follows: the coefficient that explains it where a finding says that it is wrong; "" for none.
        is_contact: tells when two bodies touch: it follows only from what was wrong before.
    """

    id: str
    axis: Axis
    unit: str = ""
    severity: FindingSeverity = "error"
    mendable: bool = True
    follows: str = ""
    is_contact: bool = False


# In the order in which people are told: causes before their consequences.
KINDS: tuple[FindingKind, ...] = (
    FindingKind(id="unreplayable", axis="physics", mendable=False),
    FindingKind(id="confusion", axis="geometry", mendable=False),
    FindingKind(id="missing_object", axis="geometry", mendable=False),
    FindingKind(id="extra_object", axis="geometry", mendable=False),
    FindingKind(id="wrong_kind", axis="physics", mendable=False),
    FindingKind(id="penetration", axis="physics", unit="m"),
    FindingKind(id="restitution", axis="physics"),
    FindingKind(id="friction", axis="physics"),
    FindingKind(id="impact", axis="physics", unit="m/s", follows="restitution"),
    FindingKind(id="no_bounce", axis="physics", unit="s", follows="restitution"),
    FindingKind(id="extra_bounce", axis="physics", unit="s", follows="restitution"),
    FindingKind(id="bounce_height", axis="physics", unit="m", follows="restitution"),
    FindingKind(id="missed_contact", axis="physics", unit="s", follows="restitution", is_contact=True),
    FindingKind(id="extra_contact", axis="physics", unit="s", follows="restitution", is_contact=True),
    FindingKind(id="contact_time", axis="physics", unit="s", follows="restitution", is_contact=True),
    FindingKind(id="contact_length", axis="physics", unit="frames"),
    FindingKind(id="slide", axis="physics", unit="m", follows="friction"),
    FindingKind(id="topple", axis="physics", unit="s"),
    FindingKind(id="rest", axis="physics", unit="s"),
    FindingKind(id="surface", axis="geometry", unit="m"),
    FindingKind(id="shape", axis="geometry", mendable=False),
    FindingKind(id="size", axis="geometry"),
    FindingKind(id="position", axis="geometry", unit="m"),
    FindingKind(id="rotation", axis="geometry", unit="deg"),
    FindingKind(id="light_direction", axis="material_light", unit="deg"),
    FindingKind(id="light_drift", axis="material_light", unit="deg"),
    FindingKind(id="light_spread", axis="material_light", unit="deg"),
    FindingKind(id="roughness", axis="material_light"),
    FindingKind(id="metallic", axis="material_light"),
    FindingKind(id="shadow", axis="material_light", unit="px"),
    FindingKind(id="appearance", axis="material_light", unit="stops"),
    FindingKind(id="appearance_patch", axis="material_light", unit="stops"),
    FindingKind(id="irradiance", axis="material_light", unit="stops"),
    FindingKind(id="drift", axis="time", unit="mm per 1/30 s"),
    FindingKind(id="replay_rate", axis="time", unit="1/s"),
    FindingKind(id="foreign", axis="time", severity="warning"),
    FindingKind(id="horizon", axis="geometry", severity="warning", mendable=False),
    FindingKind(id="clip", axis="time", severity="warning"),
    # Of a video file: what it says of its presentation was applied, or cannot be.
    FindingKind(id="truncated", axis="time", severity="warning"),
    FindingKind(id="interlaced", axis="time", severity="warning"),
    FindingKind(id="doubled_stamps", axis="time", unit="frames", severity="warning"),
    FindingKind(id="no_stamps", axis="time", unit="1/s", severity="warning"),
    FindingKind(id="size_changes", axis="geometry", severity="warning"),
    FindingKind(id="cropped", axis="geometry", severity="info"),
    FindingKind(id="pixel_aspect", axis="geometry", severity="info"),
    FindingKind(id="oblique_rotation", axis="geometry", unit="deg", severity="warning"),
    FindingKind(id="video_streams", axis="time", severity="warning"),
    FindingKind(id="scaled", axis="geometry", unit="px", severity="info"),
    FindingKind(id="hdr", axis="material_light", severity="warning"),
    FindingKind(id="wide_gamut", axis="material_light", severity="warning"),
    FindingKind(id="rare_matrix", axis="material_light", severity="warning"),
    FindingKind(id="transparent", axis="material_light", severity="warning"),
    FindingKind(id="no_motion", axis="time", severity="warning"),
    # Of two videos.
    FindingKind(id="length_mismatch", axis="time", unit="s", severity="warning"),
    FindingKind(id="rate_mismatch", axis="time", unit="1/s", severity="warning"),
    FindingKind(id="size_mismatch", axis="geometry", unit="px", severity="warning"),
    FindingKind(id="image_difference", axis="material_light", unit="dB", severity="warning"),
)


def kind_of(name: str) -> FindingKind:
    """The row of a kind; a plain one for kinds that have none, as other releases' reports may."""
    return next((kind for kind in KINDS if kind.id == name), FindingKind(id=name, axis="geometry"))


def rank(name: str) -> int:
    """The place of a kind in the order of telling; kinds without a row come last."""
    return next((i for i, kind in enumerate(KINDS) if kind.id == name), len(KINDS))


def finding(
    kind: str,
    *objects: str,
    frame: int | None = None,
    time: float | None = None,
    axis: Axis | None = None,
    measured: float | None = None,
    expected: float | None = None,
    likely_cause: Cause | None = None,
    **arguments: Any,
) -> Finding:
    """A finding of a kind that has a row.

    Args:
        kind: axis, unit and severity are its.
        objects: names, the subject of the sentence first.
        frame, time: where it shows [s]; None for the whole clip.
        axis: where a kind is not always of its axis.
        measured, expected: in the kind's unit.
        likely_cause: the number that is behind it.
        arguments: what else the sentence says; ``form`` chooses among a kind's sentences.
    """
    row = kind_of(kind)
    given = {name: value for name, value in arguments.items() if value is not None}
    told = measured is not None or expected is not None
    return Finding(
        frame=frame, time=time, axis=axis or row.axis, objects=objects, kind=kind, arguments=given,
        severity=row.severity, measured=measured, expected=expected, unit=row.unit if told else "",
        likely_cause=likely_cause,
    )  # fmt: skip
