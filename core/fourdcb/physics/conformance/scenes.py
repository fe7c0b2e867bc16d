"""Small worlds with known answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fourdcb.conventions import quaternion_from_axis_angle
from fourdcb.world import Geometry, Object, Plane, World

G = 9.8
GRAVITY = (0.0, 0.0, -G)
NOTHING = (0.0, 0.0, 0.0)
FPS = 30.0
SIZES: dict[str, tuple[float, float, float]] = {
    "sphere": (0.1, 0.1, 0.1),
    "box": (0.1, 0.08, 0.06),
    "cylinder": (0.08, 0.08, 0.10),
    "cone": (0.1, 0.1, 0.12),
    "capsule": (0.06, 0.06, 0.14),
}
ON_SIDE = tuple(float(x) for x in quaternion_from_axis_angle((1.0, 0.0, 0.0), math.pi / 2))


def thing(name: str, geometry: Geometry, pos: tuple[float, float, float], **fields: Any) -> Object:
    """An object of 1 kg under gravity, at rest unless told otherwise."""
    given: dict[str, Any] = {
        "size": SIZES.get(geometry, (0.1, 0.1, 0.1)),
        "mass": 1.0,
        "vel": NOTHING,
        "acc": GRAVITY,
        "friction": 0.5,
        "restitution": 0.0,
    }
    return Object(name=name, geometry=geometry, pos=pos, **{**given, **fields})


def floor(normal: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Plane:
    """A plane through the origin that leaves friction and restitution to the object."""
    return Plane(name="floor", normal=normal, friction=1.0, restitution=1.0)


def stage(*objects: Object, duration: float, planes: tuple[Plane, ...] = (), base_dir: str = ".") -> World:
    """A world of these objects at 30 frames per second."""
    return World(duration=duration, fps=FPS, objects=objects, planes=planes, base_dir=base_dir)


def slope(angle_deg: float) -> tuple[Plane, np.ndarray[Any, np.dtype[np.float64]], tuple[float, ...]]:
    """(plane tilted about Y so that +X goes down, downhill unit vector, orientation of what lies on it)."""
    angle = math.radians(angle_deg)
    plane = floor((math.sin(angle), 0.0, math.cos(angle)))
    downhill = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    return plane, downhill, tuple(float(x) for x in quaternion_from_axis_angle((0.0, 1.0, 0.0), angle))
