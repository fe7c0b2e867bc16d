"""The world: everything that a script says, as immutable values. Field names are the script's own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.world.camera import Camera
from fourdcb.world.fields import NAME, FieldSpec, Quat, Vec3, authored
from fourdcb.world.fluid import Fluid
from fourdcb.world.lights import DirectionalLight, Light
from fourdcb.world.material import Material

Geometry = Literal["sphere", "box", "cylinder", "cone", "capsule", "mesh"]
PRIMITIVES: tuple[Geometry, ...] = ("sphere", "box", "cylinder", "cone", "capsule")
BodyKind = Literal["dynamic", "static", "kinematic"]
_FRICTION = FieldSpec(
    doc="Coulomb friction; a pair uses the product", lower=0, slider=(0, 1.2), part="motion", group="contact"
)
_RESTITUTION = FieldSpec(
    doc="coefficient of restitution; a pair uses the product",
    lower=0,
    upper=1,
    slider=(0, 1),
    part="motion",
    group="contact",
)


@dataclass(frozen=True, slots=True)
class Keyframe:
    """Pose of a kinematic object at a time: ``(t [s], pos [m], rot wxyz)``."""

    t: float
    pos: Vec3
    rot: Quat = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """A rigid object. ``pos`` is the centre of the bounding box, or the mesh file's own origin."""

    name: str = authored(NAME)
    geometry: Geometry = authored(FieldSpec(doc="shape", part="shape"), default="box")
    mesh: str | None = authored(
        FieldSpec(doc="OBJ/PLY/GLB file beside the script", part="shape", is_file=True), default=None
    )
    mesh_up: str | None = authored(
        FieldSpec(
            doc='the file\'s axis that is up here, "y" or "z"; default y for GLB, else z', part="shape"
        ),
        default=None,
    )
    size: Vec3 = authored(
        FieldSpec(
            doc="full extents",
            unit="m",
            lower=0,
            exclusive_lower=True,
            upper=1e5,
            slider=(0.01, 1.0),
            scale="log",
            part="shape",
            group="shape",
        ),
        default=(0.1, 0.1, 0.1),
    )
    mass: float | None = authored(
        FieldSpec(
            doc="mass; 0 is static; default: material density × volume, else 1",
            unit="kg",
            lower=0,
            upper=1e9,
            slider=(0.01, 10.0),
            scale="log",
            part="motion",
            group="mass",
        ),
        default=None,
    )
    friction: float | None = authored(replace(_FRICTION, aliases=("mu",)), default=None)
    restitution: float | None = authored(replace(_RESTITUTION, aliases=("bounciness",)), default=None)
    rolling_friction: float = authored(
        FieldSpec(
            doc="rolling resistance", unit="m", lower=0, slider=(0, 0.05), part="motion", group="contact"
        ),
        default=0.0,
    )
    pos: Vec3 = authored(
        FieldSpec(
            doc="position at t = 0",
            unit="m",
            slider=(-2, 2),
            part="motion",
            group="start",
            aliases=("position",),
        ),
    )
    rot: Quat = authored(
        FieldSpec(doc="orientation at t = 0, wxyz", part="motion", group="start", aliases=("quat",)),
        default=(1.0, 0.0, 0.0, 0.0),
    )
    vel: Vec3 = authored(
        FieldSpec(
            doc="linear velocity at t = 0",
            unit="m/s",
            slider=(-5, 5),
            part="motion",
            group="start",
            aliases=("velocity",),
        ),
    )
    ang_vel: Vec3 = authored(
        FieldSpec(
            doc="angular velocity at t = 0, world frame",
            unit="rad/s",
            slider=(-30, 30),
            part="motion",
            group="start",
        ),
        default=(0.0, 0.0, 0.0),
    )
    acc: Vec3 = authored(
        FieldSpec(
            doc="acceleration field on this object (gravity)",
            unit="m/s²",
            slider=(-20, 20),
            part="motion",
            group="start",
            aliases=("gravity",),
        ),
    )
    fixed: bool = authored(FieldSpec(doc="static: never moves", part="motion"), default=False)
    trajectory: tuple[Keyframe, ...] = authored(
        FieldSpec(doc="keyframes (t, pos, quat) of a kinematic object", part="motion"), default=()
    )
    material: Material = authored(
        FieldSpec(doc="preset name or Material", part="nested"), default_factory=Material
    )

    @property
    def kind(self) -> BodyKind:
        """How the engine treats it: kinematic with keyframes, static when fixed or massless, else dynamic."""
        if self.trajectory:
            return "kinematic"
        return "static" if self.fixed or self.mass == 0 else "dynamic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """A static half space bounded by a large square, centred at the foot of the origin.

    Points x with ``normal · x = offset`` lie on the surface; the side of the normal is free.
    """

    name: str = authored(NAME, default="plane")
    normal: Vec3 = authored(
        FieldSpec(doc="unit normal, away from the solid", part="shape"), default=(0.0, 0.0, 1.0)
    )
    offset: float = authored(
        FieldSpec(
            doc="distance of the surface from the origin along the normal",
            unit="m",
            slider=(-1, 1),
            part="shape",
            group="start",
        ),
        default=0.0,
    )
    friction: float | None = authored(_FRICTION, default=None)
    restitution: float | None = authored(_RESTITUTION, default=None)
    size: float = authored(
        FieldSpec(
            doc="side of the square that is drawn and collided with", unit="m", lower=1e-6, part="shape"
        ),
        default=20.0,
    )
    material: Material = authored(
        FieldSpec(doc="preset name or Material", part="nested"), default_factory=Material
    )


Surfaced = Object | Plane | Fluid  # what has a material


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything that one script says.

    ``base_dir`` (where mesh and texture paths are relative to) and ``source`` are provenance: they take no
    part in equality or hashes.
    """

    duration: float = authored(
        FieldSpec(doc="length of the clip", unit="s", lower=0, exclusive_lower=True, upper=600, part="clip"),
        default=4.0,
    )
    fps: float = authored(
        FieldSpec(doc="frames per second", unit="1/s", lower=1e-3, upper=1000, part="clip"),
        default=30.0,
    )
    objects: tuple[Object, ...] = authored(
        FieldSpec(doc="objects (they also join by being constructed)", part="nested"), default=()
    )
    planes: tuple[Plane, ...] = authored(
        FieldSpec(doc="planes (they also join by being constructed)", part="nested"), default=()
    )
    lights: tuple[Light, ...] = authored(
        FieldSpec(doc="lights (they also join by being constructed); [] for none", part="nested"),
        default=(DirectionalLight(name="default light"),),
    )
    fluids: tuple[Fluid, ...] = authored(
        FieldSpec(doc="the fluid (it also joins by being constructed); one at most", part="nested"),
        default=(),
    )
    camera: Camera = authored(FieldSpec(doc="the camera", part="nested"), default_factory=Camera)
    ambient: float = authored(
        FieldSpec(doc="constant ambient radiance", lower=0, slider=(0, 1), part="looks", group="light"),
        default=0.1,
    )
    background: Vec3 = authored(
        FieldSpec(doc="linear radiance where nothing is hit", lower=0, part="looks", group="light"),
        default=(0.35, 0.35, 0.35),
    )
    exposure: float = authored(
        FieldSpec(
            doc="factor on linear radiance before encoding",
            lower=0,
            exclusive_lower=True,
            slider=(0.1, 4),
            scale="log",
            part="level",
            group="light",
        ),
        default=1.0,
    )
    base_dir: str = authored(
        FieldSpec(doc="folder that file names are relative to", part="provenance"), default=".", compare=False
    )
    source: str | None = authored(
        FieldSpec(doc="text of the script", part="provenance"), default=None, compare=False
    )

    @property
    def n_frames(self) -> int:
        """Number of frames T; frame k is at t = k / fps, k = 0 … T-1."""
        return max(1, round(self.duration * self.fps))

    def frame_times(self) -> NDArray[np.float64]:
        """Presentation times of the frames [s], shape (T,)."""
        return np.arange(self.n_frames, dtype=np.float64) / self.fps

    @property
    def bodies(self) -> tuple[Object | Plane, ...]:
        """Objects, then planes: the order of every body axis N in a trajectory."""
        return (*self.objects, *self.planes)

    def object(self, name: str) -> Object:
        """The object of that name. Raises KeyError."""
        for item in self.objects:
            if item.name == name:
                return item
        raise KeyError(name)
