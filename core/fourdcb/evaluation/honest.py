"""The same world said otherwise: answers that differ from the truth in words only, judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fourdcb.conventions import (
    multiply_quaternions,
    quaternion_from_axis_angle,
    quaternion_from_rotation,
)
from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import emit, parse_script
from fourdcb.evaluation.confusion import FaultScene
from fourdcb.identity import StrPath
from fourdcb.metrics import Verdict
from fourdcb.physics import make_engine
from fourdcb.progress import NullProgress, Progress
from fourdcb.world import DirectionalLight, Object, Plane, World, primitive_volume
from fourdcb.world.mesh import object_mesh

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_TURNS_DEG = (37.0, 90.0, 180.0)
_MASSES = (0.1, 7.0)  # all of them together: motion under gravity does not know the unit of mass
_SPLIT = 0.8  # of a pair's product, moved from one body to the others
_DEEP = 1.0  # of a box in place of a plane, as wide as the plane is drawn [m]


@dataclass(frozen=True, slots=True)
class Retelling:
    """A world that moves and looks like the truth; ``way`` says what is said otherwise."""

    way: str
    world: World


@dataclass(frozen=True, slots=True)
class JudgedRetelling:
    """What the judge said of one; ``why`` holds the verdict's reasons."""

    scene: str
    way: str
    verdict: Verdict
    why: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether it got the truth's verdict."""
        return self.verdict == "DEPLOYABLE"


def retellings(world: World, *, folder: Path) -> Iterator[Retelling]:
    """Every way that applies to a world; in a fluid masses mean something, and no body is a mesh.

    Args:
        world: the truth.
        folder: takes the mesh files of bodies that are given as meshes.
    """
    for k, obj in enumerate(world.objects):
        for way, other in _of_object(obj, folder, meshes=not world.fluids):
            yield Retelling(f"{obj.name}: {way}", _with(world, k, other))
    for plane in world.planes:
        yield from _of_plane(world, plane)
    yield Retelling("objects and lights in another order", replace(
        world, objects=world.objects[::-1], lights=world.lights[::-1]))  # fmt: skip
    renamed = tuple(replace(o, name=f"thing_{k}") for k, o in enumerate(world.objects))
    yield Retelling("other names", replace(world, objects=renamed))
    for factor in () if world.fluids else _MASSES:
        yield Retelling(f"all masses times {factor:g}", replace(
            world, objects=tuple(_heavier(o, factor) for o in world.objects)))  # fmt: skip
    yield from _split_coefficients(world)
    for k, light in enumerate(world.lights):
        if isinstance(light, DirectionalLight):
            half = replace(light, intensity=0.5 * light.intensity)
            lights = (*world.lights[:k], half, replace(half, name="other_half"), *world.lights[k + 1 :])
            yield Retelling(f"{light.name}: two lights of half the strength", replace(world, lights=lights))


def _with(world: World, k: int, obj: Object) -> World:
    return replace(world, objects=(*world.objects[:k], obj, *world.objects[k + 1 :]))


def _of_object(obj: Object, folder: Path, *, meshes: bool) -> Iterator[tuple[str, Object]]:
    yield "the quaternion's other sign", replace(obj, rot=_quaternion(-np.asarray(obj.rot)))
    for way, turn in _turns(obj):
        yield f"turned {way}", _turned(obj, turn)
    if obj.geometry == "box":
        yield from _other_edges(obj)
    if meshes and obj.geometry != "mesh" and not obj.trajectory:
        yield "as a mesh", _as_mesh(obj, folder)
    volume = primitive_volume(obj)
    if obj.kind == "dynamic" and obj.mass is not None and volume is not None:
        material = replace(obj.material, density=obj.mass / volume)
        yield "density for mass", replace(obj, mass=None, material=material)


def _turns(obj: Object) -> Iterator[tuple[str, np.ndarray]]:
    """Turns that a plain body does not show."""
    for angle in _TURNS_DEG:
        rad = float(np.deg2rad(angle))
        if obj.geometry == "sphere":
            yield f"by {angle:g}° about x", quaternion_from_axis_angle(np.array(_AXES["x"]), rad)
        elif obj.geometry in ("cylinder", "cone", "capsule"):
            yield f"by {angle:g}° about its axis", quaternion_from_axis_angle(np.array(_AXES["z"]), rad)
    if obj.geometry in ("cylinder", "capsule", "box"):
        yield "upside down", quaternion_from_axis_angle(np.array(_AXES["x"]), float(np.pi))


def _other_edges(obj: Object) -> Iterator[tuple[str, Object]]:
    """The same box with its edges listed in another order."""
    for order in permutations(range(3)):
        if order == (0, 1, 2):
            continue
        rotation = np.zeros((3, 3))
        for mine, edge in enumerate(order):
            rotation[edge, mine] = 1.0
        if np.linalg.det(rotation) < 0.0:
            rotation[:, 0] *= -1.0
        x, y, z = (obj.size[edge] for edge in order)
        name = "".join("xyz"[edge] for edge in order)
        turned = _turned(obj, quaternion_from_rotation(rotation))
        yield f"edges in the order {name}", replace(turned, size=(x, y, z))


def _turned(obj: Object, turn: np.ndarray) -> Object:
    """Turned about its own axes, at its keyframes, too."""
    rot, *keys = (
        _quaternion(multiply_quaternions(np.asarray(q), turn))
        for q in (obj.rot, *(key.rot for key in obj.trajectory))
    )
    path = tuple(replace(key, rot=own) for key, own in zip(obj.trajectory, keys, strict=True))
    return replace(obj, rot=rot, trajectory=path)


def _as_mesh(obj: Object, folder: Path) -> Object:
    import trimesh

    mesh = object_mesh(obj, base_dir=str(folder))
    path = folder / f"{obj.name}.obj"
    welded = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    welded.merge_vertices(merge_norm=True)
    path.write_text(str(trimesh.exchange.obj.export_obj(welded, include_normals=False)), encoding="utf-8")
    return replace(obj, geometry="mesh", mesh=path.name)


def _of_plane(world: World, plane: Plane) -> Iterator[Retelling]:
    x, y, _ = plane.normal
    if (x, y) != (0.0, 0.0):
        return
    box = Object(
        name=plane.name, geometry="box", size=(plane.size, plane.size, _DEEP),
        pos=(0.0, 0.0, plane.offset - 0.5 * _DEEP),
        vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, 0.0), fixed=True, friction=plane.friction,
        restitution=plane.restitution, material=plane.material,
    )  # fmt: skip
    planes = tuple(p for p in world.planes if p is not plane)
    yield Retelling(
        f"{plane.name}: a large box", replace(world, objects=(*world.objects, box), planes=planes)
    )


def _heavier(obj: Object, factor: float) -> Object:
    if obj.kind != "dynamic" or obj.mass is None:
        return obj
    return replace(obj, mass=factor * obj.mass)


def _split_coefficients(world: World) -> Iterator[Retelling]:
    """Where one body moves, what a pair's product is made of cannot be seen."""
    moving = [obj for obj in world.objects if obj.kind != "static"]
    still = (*(obj for obj in world.objects if obj.kind == "static"), *world.planes)
    if len(moving) != 1 or moving[0].kind != "dynamic":
        return
    for name in ("friction", "restitution"):
        mine = getattr(moving[0], name)
        others = [getattr(thing, name) for thing in still]
        if (
            mine is None
            or mine / _SPLIT > 1.0
            or any(v is None for v in others)
            or moving[0].rolling_friction
        ):
            continue
        objects = tuple(
            replace(o, **{name: mine / _SPLIT if o is moving[0] else _SPLIT * getattr(o, name)})
            for o in world.objects
        )
        planes = tuple(replace(p, **{name: _SPLIT * getattr(p, name)}) for p in world.planes)
        yield Retelling(f"{name} said by the other body", replace(world, objects=objects, planes=planes))


def _quaternion(q: np.ndarray) -> tuple[float, float, float, float]:
    w, x, y, z = (float(v) for v in q)
    return w, x, y, z


def judge_retellings(
    scripts: Sequence[StrPath], *, every: int = 1, progress: Progress | None = None
) -> Iterator[JudgedRetelling]:
    """Judge every retelling of every truth, or each ``every``-th, as the script that a model would write.

    Raises:
        UserError: for a truth that cannot be played.
    """
    told = progress or NullProgress()
    with make_engine() as engine, TemporaryDirectory() as place:
        for script in scripts:
            scene, folder = FaultScene(script, engine), Path(place)
            ways = list(retellings(scene.world, folder=folder))[::every]
            rate = scene.rate()
            told.start(f"judging {scene.name}", len(ways))
            for each in ways:
                text = emit(each.world)
                world = parse_script(text, filename=REFERENCE_NAME, base_dir=place).world
                verdict, why = scene.verdict(scene.replayed(world), rate=rate)
                yield JudgedRetelling(scene.name, each.way, verdict, why)
                told.advance()
