"""From the state of the 3D view to what OpenGL draws."""

from __future__ import annotations

from fourdcb_studio.theme import tokens
from fourdcb_studio.theme.series import series_color
from fourdcb_studio.views.space.gl.lines import Lines, arrows, joined, trail
from fourdcb_studio.views.space.gl.renderer import Picture, Points, SpacePicture
from fourdcb_studio.views.space.layers import SpaceRole, SpaceState
from fourdcb_studio.views.space.paint import grid_step
from fourdcb_studio.views.space.scene import SpaceWorld, impulses, velocities, ways

_IMPULSE = 0.22  # length of the greatest impulse's arrow, in distances of the eye at its last fit


def compose(state: SpaceState, *, reach: float) -> SpacePicture:
    """Everything that the layers ask for.

    Args:
        reach: size of the scene [m]; arrows go by it.
    """
    world = state.main
    if world is None:
        return SpacePicture(state.eye)
    lines, points = _motion_lines(state, reach)
    return SpacePicture(
        eye=state.eye,
        solid=tuple(state.solid().values()),
        ghosts=tuple(state.ghosts().values()),
        slopes=tuple((slope, slope.position, slope.rotation) for slope in world.slopes),
        floors=world.floors,
        grid=grid_step(0.6 * state.eye.distance) if "grid" in state.layers else 0.0,
        sun=world.sun,
        lines=joined([*lines, *_scene_lines(state, world)]),
        points=tuple(points),
        pictures=tuple(_pictures(state, world)),
    )


def _motion_lines(state: SpaceState, reach: float) -> tuple[list[Lines], list[Points]]:
    """Trails, velocities, contacts and particles."""
    theme = tokens()
    lines: list[Lines] = []
    points: list[Points] = []
    roles: tuple[SpaceRole, ...] = ("reference", "candidate")
    for role in roles:
        world, motion = state.worlds.get(role), state.motions[role]
        if world is None or ("ghost" if role == "reference" else "candidate") not in state.layers:
            continue
        ghost = role == "reference" and "candidate" in state.worlds
        if "paths" in state.layers:
            for hue, way in ways(world, motion):
                color = theme.color("muted") if ghost else theme.color("text")
                if not ghost:
                    color.setNamedColor(series_color(hue))
                lines.append(trail(way, state.frame, color))
        if "velocities" in state.layers:
            color = theme.color("muted" if ghost else "accent")
            lines.append(arrows(velocities(world, motion, state.frame), color))
        if motion is not None and motion.particles is not None and not ghost:
            frame = min(state.frame, len(motion.particles) - 1)
            points.append(Points(motion.particles[frame], theme.color("accent", 0.9), 2.0, 0.004))
    motion = state.motions["candidate"]
    if "contacts" in state.layers and motion is not None and motion.contacts is not None:
        pushed = impulses(motion, state.frame, _IMPULSE * reach)
        lines.append(arrows(pushed, theme.color("bad"), width=2.6))
        points.append(Points(pushed[:, 0], theme.color("bad"), 8.0))
    return lines, points


def _scene_lines(state: SpaceState, world: SpaceWorld) -> list[Lines]:
    theme = tokens()
    lines: list[Lines] = []
    if "camera" in state.layers:
        lines.append(Lines.of(world.camera, theme.color("text", 0.7), 1.4))
    if "lights" in state.layers:
        lines.append(arrows(world.lights, theme.color("warning"), width=2.4))
    return lines


def _pictures(state: SpaceState, world: SpaceWorld) -> list[Picture]:
    if "camera" not in state.layers or state.picture is None or len(world.camera) != 8:
        return []
    corners = world.camera[:4, 1]  # ends of the rays, clockwise from the upper left
    return [Picture(corners, state.picture)]
