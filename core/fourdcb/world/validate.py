"""Checks a world: errors for what cannot be replayed, warnings for what is legal but implausible."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

from fourdcb.errors import Diagnostic, Severity
from fourdcb.world.camera import Camera
from fourdcb.world.fields import FieldSpec, spec_of
from fourdcb.world.lights import AreaLight, DirectionalLight, Light, PointLight, angle_between
from fourdcb.world.material import MAPS
from fourdcb.world.mesh_check import mesh_errors
from fourdcb.world.model import Geometry, Object, Surfaced, World
from fourdcb.world.plausibility import plausibility_warnings

MAX_NAME_LENGTH = 64
MAX_BODIES = 200
MAX_LIGHTS = 32
MAX_BODY_SECONDS = 2_000.0
MAX_CLIP_PIXELS = 650_000_000
UNIT_TOLERANCE = 1e-3
LARGEST = 1e15  # of any number: squares and products of what is larger overflow somewhere
MESH_SUFFIXES = (".obj", ".ply", ".glb")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg")
RESERVED_NAMES = ("camera", "world")
FLUID_MEETS: tuple[Geometry, ...] = ("sphere", "box", "cylinder", "capsule")


def validate(world: World, *, files: bool = False, warnings: bool = True) -> list[Diagnostic]:
    """Everything that is wrong or implausible about a world, errors first; paths, no file positions.

    Args:
        files: also check that mesh and texture files exist under ``world.base_dir``.
        warnings: also look for what is legal but implausible, when there is no error.
    """
    errors = [*_names(world), *_extent(world), *_camera(world.camera), *_fields_of("world", world)]
    for obj in world.objects:
        errors += [*_body(obj), *_object(obj), *_paths(world, obj, files=files)]
    for plane in world.planes:
        errors += [
            *_body(plane),
            *_unit(f"{plane.name}.normal", plane.normal),
            *_paths(world, plane, files=files),
        ]
    errors += _fluids(world, files=files)
    for light in world.lights:
        errors += [*_fields_of(light.name, light), *_light(light)]
    return errors if errors or not warnings else plausibility_warnings(world, files=files)


def remark(path: str | None, message: str, *, code: str, severity: Severity = "error") -> Diagnostic:
    """A diagnostic without a file position."""
    return Diagnostic(severity=severity, code=code, message=message, path=path)


def _names(world: World) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for item in (*world.objects, *world.planes, *world.fluids, *world.lights):
        name = item.name
        if not name or name != name.strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
            text = f"a name has 1 to {MAX_NAME_LENGTH} printable characters, got {name[:MAX_NAME_LENGTH]!r}."
            yield remark(name, text, code="name")
        elif name in seen:
            yield remark(name, f"duplicate name {name!r}.", code="duplicate-name")
        elif name in RESERVED_NAMES:
            yield remark(name, f"the name {name!r} is reserved.", code="duplicate-name")
        seen.add(name)


def _extent(world: World) -> Iterator[Diagnostic]:
    if len(world.bodies) > MAX_BODIES:
        yield remark(None, f"{len(world.bodies)} bodies; at most {MAX_BODIES} are allowed.", code="too-large")
    if len(world.lights) > MAX_LIGHTS:
        yield remark(None, f"{len(world.lights)} lights; at most {MAX_LIGHTS} are allowed.", code="too-large")
    if not (math.isfinite(world.duration) and math.isfinite(world.fps)):
        return
    if world.duration * max(1, len(world.bodies)) > MAX_BODY_SECONDS:
        text = f"duration × bodies is more than {MAX_BODY_SECONDS:g} s; shorten the clip."
        yield remark("world.duration", text, code="too-large")
    pixels = world.duration * world.fps * world.camera.width * world.camera.height
    if pixels > MAX_CLIP_PIXELS:
        text = f"the clip has {pixels:.3g} pixels in all; at most {MAX_CLIP_PIXELS:.3g} are allowed."
        yield remark("camera.width", text, code="too-large")


def _camera(camera: Camera) -> Iterator[Diagnostic]:
    yield from _fields_of("camera", camera)
    try:
        camera.world_from_camera()
    except ValueError:
        text = "the camera needs a target apart from its position, and not straight along its up direction."
        yield remark("camera.target", text, code="camera")


def _body(body: Surfaced) -> Iterator[Diagnostic]:
    yield from _fields_of(body.name, body)
    yield from _fields_of(body.name, body.material)


def _object(obj: Object) -> Iterator[Diagnostic]:
    yield from _unit(f"{obj.name}.rot", obj.rot)
    if (obj.geometry == "mesh") != (obj.mesh is not None):
        text = f'Object {obj.name!r}: geometry "mesh" and mesh="file.obj" go together.'
        yield remark(f"{obj.name}.geometry", text, code="geometry")
    if obj.mesh_up not in (None, "y", "z"):
        text = f"Object {obj.name!r}: mesh_up is 'y' or 'z', got {obj.mesh_up[:20]!r}."
        yield remark(f"{obj.name}.mesh_up", text, code="axis")
    elif obj.mesh_up is not None and obj.mesh is None:
        text = f"Object {obj.name!r}: mesh_up belongs to a mesh file, and there is none."
        yield remark(f"{obj.name}.mesh_up", text, code="axis")
    yield from _round_sizes(obj)
    times = [key.t for key in obj.trajectory]
    for index, (before, after) in enumerate(pairwise(times), start=1):
        if not before < after:
            text = f"Object {obj.name!r}: the times of the keyframes must increase ({before:g}, {after:g})."
            yield remark(f"{obj.name}.trajectory[{index}]", text, code="keyframes")
    for key in obj.trajectory:
        if not all(abs(x) <= LARGEST for x in (key.t, *key.pos, *key.rot)):
            yield remark(
                f"{obj.name}.trajectory",
                f"Object {obj.name!r}: a keyframe must be finite and within ±{LARGEST:g}.",
                code="non-finite",
            )
        yield from _unit(f"{obj.name}.trajectory", key.rot)


def _fluids(world: World, *, files: bool) -> Iterator[Diagnostic]:
    for fluid in world.fluids:
        yield from (*_body(fluid), *_paths(world, fluid, files=files))
    for extra in world.fluids[1:]:
        yield remark(extra.name, "a world has one Fluid, this is another.", code="too-large")
    for obj in world.objects if world.fluids else ():
        if obj.geometry not in FLUID_MEETS:
            text = (
                f"Object {obj.name!r}: a fluid cannot meet a {obj.geometry}, only {', '.join(FLUID_MEETS)}."
            )
            yield remark(f"{obj.name}.geometry", text, code="geometry")


def _round_sizes(obj: Object) -> Iterator[Diagnostic]:
    x, y, z = obj.size
    path = f"{obj.name}.size"
    if obj.geometry == "sphere" and not x == y == z:
        text = f"Object {obj.name!r}: a sphere needs three equal sizes, got [{x:g}, {y:g}, {z:g}]."
        yield remark(path, text, code="size")
    elif obj.geometry in ("cylinder", "cone", "capsule") and x != y:
        text = f"Object {obj.name!r}: a {obj.geometry} needs equal x and y sizes, got [{x:g}, {y:g}, {z:g}]."
        yield remark(path, text, code="size")
    elif obj.geometry == "capsule" and z < x:
        text = f"Object {obj.name!r}: a capsule's z size includes its caps: at least {x:g} m, got {z:g} m."
        yield remark(path, text, code="size")


def _light(light: Light) -> Iterator[Diagnostic]:
    if not isinstance(light, PointLight):
        yield from _directions(light)
    span = light.time_range
    if span is not None and not span[0] <= span[1]:
        text = f"Light {light.name!r}: time_range must run forwards, got [{span[0]:g}, {span[1]:g}]."
        yield remark(f"{light.name}.time_range", text, code="range")


def _directions(light: DirectionalLight | AreaLight) -> Iterator[Diagnostic]:
    label = f"Light {light.name!r}"
    if not any(light.direction):
        yield remark(f"{light.name}.direction", f"{label}: a direction cannot be zero.", code="direction")
    for k, direction in enumerate(light.direction_curve):
        path = f"{light.name}.direction_curve[{k}]"
        before = light.direction_curve[k - 1] if k else direction
        if not any(direction):
            yield remark(path, f"{label}: a direction cannot be zero.", code="direction")
        elif any(before) and angle_between(before, direction) > math.pi - 1e-6:
            text = f"{label}: two directions in a row are opposite; the way between them is not defined."
            yield remark(path, text, code="direction")


def _unit(path: str, vector: tuple[float, ...]) -> Iterator[Diagnostic]:
    length = math.sqrt(sum(c * c for c in vector))
    if math.isfinite(length) and abs(length - 1.0) > UNIT_TOLERANCE:
        shown = [round(c / length, 6) for c in vector] if length else "none (zero)"
        yield remark(
            path, f"{path} must have unit length, not {length:.6g}; normalised: {shown}.", code="not-unit"
        )


def _fields_of(name: str, item: Any) -> Iterator[Diagnostic]:
    """Finite and in range, for every number that has a :class:`FieldSpec`."""
    for f in fields(item):
        spec, value = spec_of(f), getattr(item, f.name)
        if spec is None or value is None or isinstance(value, str | bool):
            continue
        for path, component in _numbers(f"{name}.{f.name}", value):
            yield from number_remarks(path, component, spec)


def _numbers(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """Every number of a field with its path; nothing of what holds others than numbers and vectors."""
    if isinstance(value, tuple):
        for index, component in enumerate(value):
            yield from _numbers(f"{path}[{index}]", component)
    elif isinstance(value, int | float):
        yield path, value


def number_remarks(path: str, value: float, spec: FieldSpec) -> Iterator[Diagnostic]:
    """What is wrong with one number: not finite, or outside its field's range."""
    unit = f" {spec.unit}" if spec.unit else ""
    if not math.isfinite(value):
        yield remark(path, f"{path} must be finite, got {value}.", code="non-finite")
    elif spec.lower is not None and (value < spec.lower or (spec.exclusive_lower and value == spec.lower)):
        sign = ">" if spec.exclusive_lower else "≥"
        yield remark(path, f"{path} must be {sign} {spec.lower:g}{unit}, got {value:g}.", code="out-of-range")
    elif spec.upper is not None and value > spec.upper:
        found = remark(path, f"{path} must be ≤ {spec.upper:g}{unit}, got {value:g}.", code="out-of-range")
        yield replace(found, hint="Colours run from 0 to 1: divide by 255.") if "color[" in path else found
    elif abs(value) > LARGEST:
        yield remark(path, f"{path} must lie within ±{LARGEST:g}{unit}, got {value:g}.", code="out-of-range")


def _paths(world: World, body: Surfaced, *, files: bool) -> Iterator[Diagnostic]:
    if isinstance(body, Object) and body.mesh is not None:
        faults = [*_path(world, f"{body.name}.mesh", body.mesh, MESH_SUFFIXES, files=files)]
        yield from faults if faults or not files else mesh_errors(body, world.base_dir)
    for name in MAPS:
        image = getattr(body.material, name)
        if image is not None:
            yield from _path(world, f"{body.name}.{name}", image, IMAGE_SUFFIXES, files=files)


def _path(
    world: World, path: str, file: str, suffixes: tuple[str, ...], *, files: bool
) -> Iterator[Diagnostic]:
    shown = repr(file[:80])
    pure = PurePosixPath(file)
    outside = pure.is_absolute() or ".." in pure.parts or "\\" in file or ":" in file or "\0" in file
    if outside or not file or file != file.strip():
        text = f"{path}: {shown} must be a relative path inside the script's folder."
        yield remark(path, text, code="path")
        return
    if pure.suffix.lower() not in suffixes:
        yield remark(path, f"{path}: {shown} must end in {', '.join(suffixes)}.", code="path")
        return
    if files:
        yield from _existing(Path(world.base_dir), path, file)


def _existing(base: Path, path: str, file: str) -> Iterator[Diagnostic]:
    try:
        target = Path(os.path.realpath(base / file))
        inside = target.is_relative_to(base.resolve())
        exists = target.is_file()
    except OSError:
        inside, exists = True, False
    if not inside:
        text = f"{path}: {file[:80]!r} leads out of the script's folder."
        yield remark(path, text, code="path")
    elif not exists:
        yield remark(path, f"{path}: there is no file {file[:80]!r} beside the script.", code="missing-file")
