"""Warnings about worlds that are legal but physically doubtful."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fourdcb.errors import Diagnostic
from fourdcb.world.contact import ContactProperty, contact_properties, is_static, stated
from fourdcb.world.model import Object, Plane, World
from fourdcb.world.overlap import overlap_depth

CONTACT_PROPERTIES: tuple[ContactProperty, ...] = ("friction", "restitution")
HEAVY_MASS = 1e4
FAST_SPEED = 100.0
FAST_SPIN = 500.0
OVERLAP_TOLERANCE = 1e-3
MAX_OVERLAP_BODIES = 40
MAX_LISTED_OVERLAPS = 5


def doubts(world: World) -> list[Diagnostic]:
    """Warnings about a valid world."""
    found = [*_lights(world), *_unstated_contacts(world), *_overlaps(world)]
    for obj in world.objects:
        found += _object(obj)
    return found


def _warning(path: str | None, message: str, code: str) -> Diagnostic:
    return Diagnostic(severity="warning", code=code, message=message, path=path)


def _lights(world: World) -> Iterator[Diagnostic]:
    if world.ambient <= 0 and not any(light.intensity > 0 for light in world.lights):
        yield _warning(None, "nothing gives light: the clip will be black.", "no-light")
    elif not world.lights:
        yield _warning(None, "the world has no light, only the ambient term.", "no-light")


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
    if obj.kind == "dynamic" and obj.acc[2] > 0:
        yield _warning(f"{obj.name}.acc", f"{label}: acc points up, so it will fall upwards.", "doubtful-acc")


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
