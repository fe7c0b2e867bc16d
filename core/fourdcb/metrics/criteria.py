"""The thresholds that a verdict is measured against, read from one versioned YAML file."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fourdcb.errors import UserError
from fourdcb.identity import StrPath
from fourdcb.metrics.result import AXES, MetricValue, Side
from fourdcb.metrics.specs import metrics_of, specs_of

_MAX_BYTES = 64 * 1024
_RULES = (
    "horizon_min_fraction", "contact_tolerance", "penetration", "penetration_relative", "impact_speed",
    "drift_min_frames", "replay_spread", "video_agreement", "video_seen", "video_edges",
)  # fmt: skip
_SHARES = ("penetration_relative", "horizon_min_fraction", "video_agreement", "video_seen", "video_edges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Limit of one metric: strictly below or above ``value`` [unit] passes."""

    value: float
    unit: str
    direction: Side

    def passes(self, value: float) -> bool:
        """Whether ``value`` [unit] lies strictly on the passing side."""
        return bool(value < self.value if self.direction == "below" else value > self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """All thresholds and rules of a judgement.

    Attributes:
        id, version: name the definition; results are comparable only under equal ones.
        thresholds: by metric name.
        horizon_min_fraction: share of the clip that must be predictable, 0 … 1.
        contact_tolerance: within which contacts match [s].
        penetration: allowed excess penetration [m].
        penetration_relative: the same as a share of the smaller body's bounding-box diagonal, 0 … 1.
        impact_speed: contacts that begin more slowly say nothing [m/s].
        drift_min_frames: drift needs more frames than this.
        replay_spread: standard deviation of the paced replay rate must stay below this [1/s].
        video_agreement: how well the video must show the truth's motion, 0 … 1 (0.5 is chance).
        video_seen: share of the places where the truth moves in which the video must change, 0 … 1.
        video_edges: where too little moves to tell, how well the edges of the video's picture must correlate
            with those of the truth's, 0 … 1.
        sha256: of the file's bytes; "" where there is none.
    """

    id: str
    version: int
    thresholds: Mapping[str, Threshold]
    horizon_min_fraction: float
    contact_tolerance: float
    penetration: float
    penetration_relative: float
    impact_speed: float
    drift_min_frames: float
    replay_spread: float
    video_agreement: float
    video_seen: float
    video_edges: float
    sha256: str = ""

    def measured(self, metric: str, value: float, **kwargs: Any) -> MetricValue:
        """A measured value, judged; ``passed=`` overrides the judgement."""
        limit = self.thresholds[metric]
        passed = kwargs.pop("passed", limit.passes(value))
        return MetricValue(
            value=float(value),
            unit=limit.unit,
            threshold=limit.value,
            direction=limit.direction,
            passed=passed,
            **kwargs,
        )

    def unmeasured(
        self,
        metric: str,
        status: Literal["error", "skipped", "not_measured", "not_applicable"],
        reason: str,
        **kwargs: Any,
    ) -> MetricValue:
        """A metric without a value, and why."""
        limit = self.thresholds[metric]
        return MetricValue(
            unit=limit.unit,
            threshold=limit.value,
            direction=limit.direction,
            status=status,
            reason=reason,
            **kwargs,
        )


def load_criteria(path: StrPath | None = None) -> Criteria:
    """Read a criteria file; None reads the bundled default.

    Raises:
        UserError: when the file is missing, is not YAML, or lacks or misspells an entry.
    """
    if path is None:
        from importlib.resources import files

        text = (files("fourdcb_resources") / "criteria" / "default.yaml").read_text(encoding="utf-8")
        return _parse(text, "criteria/default.yaml")
    path = Path(path)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UserError(
                "the criteria file is too large", where=str(path), expected=f"at most {_MAX_BYTES} bytes"
            )
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError("cannot read the criteria file", where=str(path), got=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UserError("the criteria file is not UTF-8 text", where=str(path)) from error
    return _parse(text, str(path))


def _parse(text: str, where: str) -> Criteria:
    from ruamel.yaml import YAML, YAMLError

    try:
        data = YAML(typ="safe").load(text)
    except YAMLError as error:
        raise UserError("the criteria file is not valid YAML", where=where, got=str(error)) from error
    except RecursionError as error:
        raise UserError("the criteria file is nested too deeply", where=where) from error
    root = _mapping(data, where, {"id", "version", "thresholds", "rules"})
    axes = _mapping(root["thresholds"], f"{where}: thresholds", set(AXES))
    thresholds: dict[str, Threshold] = {}
    for axis in AXES:
        place = f"{where}: thresholds.{axis}"
        entries = _mapping(axes[axis], place, set(metrics_of(axis)))
        for spec in specs_of(axis):
            where_it_is = f"{place}.{spec.id}"
            thresholds[spec.id] = _threshold(entries[spec.id], where_it_is, spec.direction, spec.unit)
    rules = _mapping(root["rules"], f"{where}: rules", set(_RULES))
    values = {name: _rule(name, rules[name], f"{where}: rules.{name}") for name in _RULES}
    version = _number(root["version"], f"{where}: version")
    if not version.is_integer():
        raise UserError("the version must be a whole number", where=f"{where}: version", got=f"{version:g}")
    return Criteria(
        id=str(root["id"]),
        version=int(version),
        thresholds=thresholds,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        **values,
    )


def _threshold(data: object, where: str, side: Side, unit: str) -> Threshold:
    entry = _mapping(data, where, {side, "unit"}, optional={"unit"})
    if entry.get("unit", unit) != unit:
        raise UserError(
            "a threshold cannot have another unit",
            where=where,
            got=str(entry["unit"])[:60],
            expected=unit or '""',
        )
    return Threshold(value=_number(entry[side], where), unit=unit, direction=side)


def _rule(name: str, data: object, where: str) -> float:
    value, most = _number(data, where), 1.0 if name in _SHARES else math.inf
    if not 0.0 <= value <= most:
        expected = "0 … 1" if name in _SHARES else "0 or more"
        raise UserError("the number is out of range", where=where, got=f"{value:g}", expected=expected)
    return value


def _mapping(
    data: object, where: str, keys: set[str], optional: frozenset[str] | set[str] = frozenset()
) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UserError("expected a table of entries", where=where, got=type(data).__name__)
    unknown, missing = set(data) - keys, keys - set(data) - set(optional)
    if unknown:
        raise UserError(
            "unknown entry", where=where, got=", ".join(map(str, unknown)), expected=", ".join(sorted(keys))
        )
    if missing:
        raise UserError("missing entry", where=where, expected=", ".join(sorted(missing)))
    return data


def _number(data: object, where: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float) or not abs(data) < 1e300:
        # Aliases let a short file stand for an endless list: say its type, not its content.
        got = repr(data)[:60] if isinstance(data, str | int | float) else type(data).__name__
        raise UserError("expected a finite number", where=where, got=got)
    return float(data)
