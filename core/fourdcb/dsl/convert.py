"""Turns stated values into the world's field values, or says why they do not fit."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from fourdcb.conventions import canonical_quaternion, normalized, quaternion_from_euler_deg
from fourdcb.dsl.entities import Entity
from fourdcb.dsl.operators import brief, type_name
from fourdcb.dsl.rules import FieldRule
from fourdcb.world.fields import Quat, Vec3
from fourdcb.world.model import Geometry, Keyframe
from fourdcb.world.validate import UNIT_TOLERANCE

# A vector this close to unit length is kept as it is, so that canonical values survive a round trip.
EXACT_UNIT_TOLERANCE = 1e-9


class FieldFault(Exception):
    """A value does not fit its field.

    Args:
        index: the component that is wrong, when it is one.
    """

    def __init__(
        self, message: str, *, code: str = "type", index: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.index, self.hint = message, code, index, hint


def convert(value: Any, rule: FieldRule) -> Any:
    """The field value of ``value``. Raises FieldFault."""
    if value is None and rule.optional:
        return None
    if rule.shape == "number":
        return number(value, rule.expected)
    if rule.shape == "integer":
        return _integer(value, rule)
    if rule.shape == "flag":
        return _checked(value, bool, rule)
    if rule.shape == "text":
        return _checked(value, str, rule)
    if rule.shape == "geometry":
        return _geometry(value, rule)
    if rule.shape in ("vector", "color"):
        return _vector(value, rule)
    if rule.shape == "numbers":
        return tuple(number(item, "a number", i) for i, item in enumerate(_items(value, rule)))
    if rule.shape == "vectors":
        items = enumerate(_items(value, rule))
        return tuple(_plain_vector(item, rule.count, "[x, y, z]", i) for i, item in items)
    if rule.shape == "keyframes":
        return tuple(_keyframe(item, rule, i) for i, item in enumerate(_items(value, rule)))
    if rule.shape == "map":
        return _map(value, rule)
    raise AssertionError(f"{rule.shape} is converted by the builder")


def number(value: Any, expected: str, index: int | None = None) -> float:
    """A finite float. Raises FieldFault."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        quoted = isinstance(value, str) and _is_number_text(value)
        hint = f"Write {value.strip()} without quotes." if quoted else None  # type: ignore[union-attr]
        raise FieldFault(f"expected {expected}, got {_shown(value)}", index=index, hint=hint)
    try:
        result = float(value)
    except OverflowError:
        raise FieldFault("the number is too large", code="non-finite", index=index) from None
    if not math.isfinite(result):
        raise FieldFault(f"must be finite, got {result}", code="non-finite", index=index)
    return result


def _is_number_text(text: str) -> bool:
    try:
        return len(text) <= 40 and math.isfinite(float(text))
    except ValueError:
        return False


def quaternion(value: tuple[float, ...], index: int | None = None) -> Quat:
    """A canonical unit quaternion (wxyz). Raises FieldFault when it is not a unit one."""
    length = math.sqrt(sum(c * c for c in value))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        shown = f"; normalised: {_listed(normalized(value))}" if length > 0 else ""
        raise FieldFault(f"must be a unit quaternion (w, x, y, z), its length is {length:g}{shown}",
                         code="not-unit", index=index)  # fmt: skip
    if abs(length - 1.0) > EXACT_UNIT_TOLERANCE or value[0] < 0:
        value = tuple(float(c) for c in canonical_quaternion(value))
    w, x, y, z = value
    return w, x, y, z


def quaternion_of_euler(value: Vec3) -> Quat:
    """Quaternion of intrinsic X-Y-Z angles [deg]."""
    w, x, y, z = (float(c) for c in quaternion_from_euler_deg(value))
    return w, x, y, z


def looks_like_radians(euler_deg: Vec3) -> bool:
    """Whether angles are multiples of π/12 between 0.5 and 2π, as degrees hardly ever are."""
    steps = [abs(c) / (math.pi / 12) for c in euler_deg if abs(c) > 0.5]
    return bool(steps) and all(s < 24.1 and abs(s - round(s)) < 0.02 for s in steps)


def unit_normal(value: Vec3) -> Vec3:
    """A plane's normal. Raises FieldFault, showing the normalised value, when it is not a unit vector."""
    length = math.sqrt(sum(c * c for c in value))
    if length == 0.0:
        raise FieldFault("must be a unit vector, got a zero vector", code="not-unit")
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise FieldFault(
            f"must be a unit vector (within {UNIT_TOLERANCE:g}), its length is {length:.6g};"
            f" normalised: {_listed(normalized(value))}",
            code="not-unit",
        )
    if abs(length - 1.0) > EXACT_UNIT_TOLERANCE:
        x, y, z = (float(c) for c in normalized(value))
        return x, y, z
    return value


def _listed(values: Any) -> str:
    return "[" + ", ".join(f"{float(v):.6g}" for v in values) + "]"


def _shown(value: Any) -> str:
    return f"{type_name(value)} ({brief(value)})" if not isinstance(value, Entity) else type_name(value)


def _checked(value: Any, kind: type, rule: FieldRule) -> Any:
    if not isinstance(value, kind):
        raise FieldFault(f"expected {rule.expected}, got {_shown(value)}")
    return value


def _integer(value: Any, rule: FieldRule) -> int:
    result = number(value, rule.expected)
    if not result.is_integer():
        raise FieldFault(f"expected {rule.expected}, got {brief(value)}")
    return int(result)


def _geometry(value: Any, rule: FieldRule) -> str:
    allowed = get_args(Geometry)
    if isinstance(value, str) and value in allowed:
        return value
    meant = {"cube": "box", "cuboid": "box", "ball": "sphere", "can": "cylinder", "pill": "capsule"}
    meant |= {name: name for name in allowed}
    word = value[:40].strip().lower() if isinstance(value, str) else ""
    hint = f"Did you mean '{meant[word]}'?" if word in meant else None
    raise FieldFault(f"expected {rule.expected}, got {brief(value)}", code="geometry", hint=hint)


def _items(value: Any, rule: FieldRule) -> list[Any]:
    if isinstance(value, np.ndarray):
        return list(value.tolist()) if value.ndim else [float(value)]
    if not isinstance(value, list | tuple):
        hint = None
        if rule.name == "size" and isinstance(value, int | float) and rule.count == 3:
            hint = f"Write size=[{brief(value)}, {brief(value)}, {brief(value)}]."
        elif rule.shape == "color" and isinstance(value, str):
            hint = "Write [red, green, blue], each from 0 to 1."
        raise FieldFault(f"expected {rule.expected}, got {_shown(value)}", hint=hint)
    return list(value)


def _vector(value: Any, rule: FieldRule) -> tuple[float, ...]:
    items = _items(value, rule)
    if len(items) != rule.count:
        hint = "Angles go into euler_deg=[x, y, z]." if rule.name == "rot" and len(items) == 3 else None
        raise FieldFault(f"expected {rule.expected}, got {len(items)}: {brief(items)}", hint=hint)
    return tuple(number(item, "a number", i) for i, item in enumerate(items))


def _map(value: Any, rule: FieldRule) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Entity) and value.kind == "Texture":
        stated = value.fields.get("path")
        if stated is not None and isinstance(stated.value, str):
            return stated.value
    raise FieldFault(f"expected {rule.expected}, got {_shown(value)}")


def _keyframe(value: Any, rule: FieldRule, index: int) -> Keyframe:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise FieldFault(f"expected {rule.expected}, got {_shown(value)}", index=index)
    t = number(value[0], "a time, s", index)
    pos = _plain_vector(value[1], 3, "a position [x, y, z], m", index)
    if len(value) == 2:
        return Keyframe(t, (pos[0], pos[1], pos[2]))
    rot = quaternion(_plain_vector(value[2], 4, "a quaternion [w, x, y, z]", index), index)
    return Keyframe(t, (pos[0], pos[1], pos[2]), rot)


def _plain_vector(value: Any, count: int, expected: str, index: int) -> tuple[float, ...]:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, list | tuple) or len(items) != count:
        raise FieldFault(f"expected {expected}, got {_shown(value)}", index=index)
    return tuple(number(item, "a number", index) for item in items)
