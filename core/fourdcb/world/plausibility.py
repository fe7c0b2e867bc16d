"""Warnings about worlds that are legal but physically implausible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from fourdcb.errors import Diagnostic
from fourdcb.world.camera import Camera
from fourdcb.world.confusions import LENGTH_UNITS, is_unusual_size, length_guess
from fourdcb.world.contact import (
    ContactProperty,
    contact_properties,
    is_static,
    primitive_volume,
    stated,
)
from fourdcb.world.lights import DirectionalLight
from fourdcb.world.mesh_check import mesh_warnings
from fourdcb.world.model import Object, Plane, World
from fourdcb.world.overlap import overlap_depth

CONTACT_PROPERTIES: tuple[ContactProperty, ...] = ("friction", "restitution")
HEAVY_MASS = 1e4
FAST_SPEED = 100.0
FAST_SPIN = 500.0
FAR = 100.0
STRONG_FIELD = 50.0
PLAIN_DENSITY = (1.2, 22_600.0)  # air, osmium [kg/m³]
NARROW_FOV_DEG = 3.2
OVERLAP_TOLERANCE = 1e-3
GRAVITY = 9.8
ROUND_TURN_DEG = 45.0
MAX_OVERLAP_BODIES = 40
MAX_LISTED_OVERLAPS = 5


def plausibility_warnings(world: World, *, files: bool = False) -> list[Diagnostic]:
    """Warnings about a valid world; with ``files``, about its mesh files, too."""
    found = [*_camera(world.camera), *_lights(world), *_unstated_contacts(world), *_overlaps(world)]
    found += _floor(world)
    for obj in world.objects:
        found += [*_object(obj), *_units(obj), *_turns(obj)]
        if files and obj.geometry == "mesh":
            found += mesh_warnings(obj, world.base_dir)
    return found


def _warning(path: str | None, message: str, code: str) -> Diagnostic:
    return Diagnostic(severity="warning", code=code, message=message, path=path)


def _lights(world: World) -> Iterator[Diagnostic]:
    if world.ambient <= 0 and not any(light.intensity > 0 for light in world.lights):
        yield _warning(None, "nothing gives light: the clip will be black.", "no-light")
    elif not world.lights:
        yield _warning(None, "the world has no light, only the ambient term.", "no-light")
    if any(plane.normal[2] > 0.5 for plane in world.planes):
        for light in world.lights:
            if isinstance(light, DirectionalLight) and light.direction[2] > 0:
                x, y, z = (-c for c in light.direction)
                text = f"Light {light.name!r} shines upwards, from below the floor; direction is the way that"
                text += f" light travels: [{x:g}, {y:g}, {z:g}] comes from where this points to."
                yield _warning(f"{light.name}.direction", text, "doubtful-direction")


def _floor(world: World) -> Iterator[Diagnostic]:
    """A single plane that no body can fall on, as where y is up."""
    falling = [np.asarray(o.acc) for o in world.objects if o.kind == "dynamic" and abs(o.acc[2]) > 1.0]
    if len(world.planes) != 1 or not falling:
        return
    plane = world.planes[0]
    if all(abs(float(np.dot(plane.normal, acc))) < 0.1 * np.linalg.norm(acc) for acc in falling):
        text = f"Plane {plane.name!r} is upright, so nothing can fall on it; the world is Z up (y up?)."
        yield _warning(f"{plane.name}.normal", text, "doubtful-axis")


def _object(obj: Object) -> Iterator[Diagnostic]:
    label = f"Object {obj.name!r}"
    if obj.mass is not None and obj.mass > HEAVY_MASS:
        yield _warning(f"{obj.name}.mass", f"{label}: a mass of {obj.mass:g} kg is unusual.", "doubtful-mass")
    speed = sum(c * c for c in obj.vel) ** 0.5
    if speed > FAST_SPEED:
        yield _warning(f"{obj.name}.vel", f"{label}: a speed of {speed:g} m/s is unusual.", "doubtful-speed")
    spin = sum(c * c for c in obj.ang_vel) ** 0.5
    if spin > FAST_SPIN:
        yield _warning(
            f"{obj.name}.ang_vel", f"{label}: a spin of {spin:g} rad/s is unusual.", "doubtful-speed"
        )
    if obj.kind == "static" and speed + spin > 0:
        yield _warning(f"{obj.name}.vel", f"{label} is static: its velocity has no effect.", "no-effect")
    if obj.kind == "dynamic":
        yield from _field(obj, label)


def _field(obj: Object, label: str) -> Iterator[Diagnostic]:
    x, y, z = obj.acc
    strength = (x * x + y * y + z * z) ** 0.5
    path = f"{obj.name}.acc"
    if z > 0:
        yield _warning(path, f"{label}: acc points up, so it will fall upwards.", "doubtful-acc")
    elif strength > 5 and -z < 0.5 * strength:
        up = " (y up?)" if abs(y) > 0.9 * strength else ""
        yield _warning(path, f"{label}: acc points sideways; the world is Z up{up}.", "doubtful-acc")
    if strength > STRONG_FIELD:
        unit = next((u for f, u in LENGTH_UNITS.items() if abs(strength / (f * GRAVITY) - 1) < 0.05), None)
        guess = f" ({strength / GRAVITY:.0f} × {GRAVITY:g}: {unit}?)" if unit else ""
        yield _warning(
            path, f"{label}: an acc of {strength:g} m/s² is unusual; units are SI{guess}.", "doubtful-acc"
        )


def _turns(obj: Object) -> Iterator[Diagnostic]:
    """Degrees per second for radians, and quaternions in xyzw order."""
    label = f"Object {obj.name!r}"
    large = max(obj.ang_vel, key=abs)
    if abs(large) >= 2 * ROUND_TURN_DEG and abs(large) % ROUND_TURN_DEG == 0:
        text = f"{label}: a spin of {large:g} rad/s is {abs(large) / (2 * np.pi):.0f} turns per second;"
        text += f" {large:g}° per second would be {np.radians(large):.3g} rad/s (degrees?)."
        yield _warning(f"{obj.name}.ang_vel", text, "doubtful-unit")
    w, _, _, z = obj.rot
    if obj.geometry != "sphere" and abs(w) < 1e-9 and z > 0.5:
        turn = 2 * np.degrees(np.arccos(min(z, 1.0)))
        text = f"{label}: rot = [w, x, y, z] turns it by 180° here; in xyzw order it would be {turn:.0f}°."
        yield _warning(f"{obj.name}.rot", text, "doubtful-order")


def _units(obj: Object) -> Iterator[Diagnostic]:
    """Values of a moving object that read like centimetres, millimetres or grams."""
    label = f"Object {obj.name!r}"
    far = max(map(abs, obj.pos))
    if far > FAR:
        yield _warning(f"{obj.name}.pos", f"{label}: a position {far:g} m away is unusual.", "doubtful-unit")
    if obj.kind == "static" or obj.geometry == "mesh":
        return
    if is_unusual_size(max(obj.size)):
        text = f"{label}: a size of {max(obj.size):g} m is unusual; sizes are metres, full extents"
        text += length_guess(max(obj.size)) + "."
        yield _warning(f"{obj.name}.size", text, "doubtful-unit")
    volume = primitive_volume(obj)
    if obj.mass and volume and not PLAIN_DENSITY[0] <= obj.mass / volume <= PLAIN_DENSITY[1]:
        text = f"{label}: {obj.mass:g} kg in this size is {obj.mass / volume:.3g} kg/m³"
        than = "lighter than air" if obj.mass / volume < PLAIN_DENSITY[0] else "denser than any metal"
        grams = obj.mass / volume / 1000.0
        if PLAIN_DENSITY[0] <= grams <= PLAIN_DENSITY[1] and obj.mass > 1.0:
            than += f" ({obj.mass:g} g would be {grams:.3g} kg/m³)"
        yield _warning(f"{obj.name}.mass", f"{text}, {than}; units are kg and m.", "doubtful-unit")


def _camera(camera: Camera) -> Iterator[Diagnostic]:
    if camera.fov_y_deg < NARROW_FOV_DEG:
        text = f"Camera: a field of view of {camera.fov_y_deg:g}° is unusual; fov_y_deg is in degrees."
        yield _warning("camera.fov_y_deg", text, "doubtful-unit")


def _unstated_contacts(world: World) -> Iterator[Diagnostic]:
    effective = contact_properties(world)
    for prop in CONTACT_PROPERTIES:
        silent = [body for body in world.bodies if stated(body, prop) is None]
        pairs = [pair for pair in combinations(silent, 2) if not all(is_static(b) for b in pair)]
        if not pairs:
            continue
        first, second = pairs[0]
        used: float = getattr(effective[first.name], prop) * getattr(effective[second.name], prop)
        more = f" (nor do {len(pairs) - 1} more pairs)" if len(pairs) > 1 else ""
        text = f"neither {first.name!r} nor {second.name!r} states {prop}{more}; the replay uses {used:g}."
        yield _warning(first.name, text, f"unstated-{prop}")


def _overlaps(world: World) -> Iterator[Diagnostic]:
    if len(world.bodies) > MAX_OVERLAP_BODIES:
        return
    listed = 0
    for first, second in combinations(world.bodies, 2):
        if is_static(first) and is_static(second):
            continue
        depth = overlap_depth(first, second)
        if depth is not None and depth > OVERLAP_TOLERANCE:
            text = f"{first.name!r} and {second.name!r} overlap by {1000 * depth:.1f} mm at the start."
            yield _warning(f"{_moving(first, second).name}.pos", text, "overlap")
            listed += 1
            if listed == MAX_LISTED_OVERLAPS:
                return


def _moving(first: Object | Plane, second: Object | Plane) -> Object | Plane:
    return second if is_static(first) else first
