"""Scenes of the generator: labels are read from ``world.py``, by playing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from fourdcb.dataset.framing import moving
from fourdcb.dataset.layout import REFERENCE_NAME, SAMPLE_NAME, VIDEO_NAME
from fourdcb.dataset.splits import sample_keys, samples_of
from fourdcb.dataset.templates import TEMPLATES
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.physics import judging_rate, simulate
from fourdcb.probes.clips import Clip, Target
from fourdcb.probes.windows import Window, moment_of
from fourdcb.trajectory import Trajectory
from fourdcb.world import Object, World

THIRDS = ("low", "middle", "high")
ABSOLUTE = (0.3, 0.6)  # bounds of the restitution's absolute classes
CONTACTS = (
    (0, "0"),
    (1, "1"),
    (3, "2-3"),
    (10**9, "4 or more"),
)  # touches, at most so many
SOON = ((0.1, "within 0.1 s"), (0.3, "0.1 to 0.3 s"))  # to the next touch; else "later"

TARGETS = (
    Target(name="template", meaning="family of scenes"),
    Target(
        name="restitution", physical=True,
        meaning="third of its template's own range in which the restitution lies",
    ),
    Target(
        name="friction", physical=True,
        meaning="third of its template's own range in which the friction lies",
    ),
    Target(name="contacts", meaning="touches that begin within the window: 0, 1, 2-3, 4 or more"),
    Target(
        name="restitution_absolute", physical=True,
        meaning="restitution below 0.3, up to 0.6, above: a template's looks tell it",
    ),
    Target(
        name="next_contact", moment=True,
        meaning="time from the window's middle frame to the next touch: within 0.1 s, up to 0.3 s, later",
    ),
)  # fmt: skip


class GeneratedClips:
    """Scene folders below a folder: ``world.py`` beside ``video.mp4``, of ``fourdcb generate`` or bundled."""

    def __init__(self, folder: Path) -> None:
        self._samples = samples_of(folder)

    @property
    def targets(self) -> tuple[Target, ...]:
        """What ``world.py`` tells."""
        return TARGETS

    def clips(self) -> tuple[Clip, ...]:
        """Scenes by name; each is a group, tied to others by seed, objects, material and mesh."""
        return tuple(
            Clip(
                id=name, video=path / VIDEO_NAME, group=name, keys=sample_keys(path),
                metadata=_metadata(path), script=path / REFERENCE_NAME,
            )
            for name, path in self._samples.items()
        )  # fmt: skip

    def labels(self, clip: Clip, windows: Sequence[Window]) -> Mapping[str, Sequence[str | None]]:
        """Classes of every window; the motion is the script's, played by the default engine."""
        assert clip.script is not None
        world = load_script(clip.script).world
        trajectory = simulate(world, rate_hz=judging_rate(world.fps))
        template, acting = _template_of(clip.script.parent), _acting(world)
        fixed = {
            "template": template,
            "restitution": _third(template, "restitution", acting.restitution),
            "friction": _third(template, "friction", acting.friction),
            "restitution_absolute": _absolute(acting.restitution),
        }
        found: dict[str, Sequence[str | None]] = {
            name: [value] * len(windows) for name, value in fixed.items()
        }
        found["contacts"] = [_contacts(trajectory, world.fps, window) for window in windows]
        found["next_contact"] = [_next_contact(trajectory, world.fps, window) for window in windows]
        return found

    def files(self, clip: Clip) -> tuple[Path, ...]:
        """The script, and the record that names its template."""
        assert clip.script is not None
        return (clip.script, clip.script.parent / SAMPLE_NAME)


def _template_of(folder: Path) -> str | None:
    try:
        name = str(json.loads((folder / SAMPLE_NAME).read_text(encoding="utf-8"))["sample"]).partition("/")[0]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError("the sample's record cannot be read", where=str(folder / SAMPLE_NAME)) from error
    return name if name in TEMPLATES else None


def _metadata(folder: Path) -> dict[str, float | str]:
    """What a scene is known by without looking: its template, its file, its frame."""
    world = load_script(folder / REFERENCE_NAME).world
    return {
        "template": _template_of(folder) or "none",
        "duration": float(world.duration),
        "bytes": float((folder / VIDEO_NAME).stat().st_size),
        "width": float(world.camera.width),
        "height": float(world.camera.height),
    }


def _acting(world: World) -> Object:
    """The object that a scene is about: the first free one; a driven one only where there is no other."""
    found = [obj for _, obj in moving(world)]
    return next((obj for obj in found if obj.kind == "dynamic"), found[0])


@lru_cache(maxsize=64)
def _range(template: str, name: str) -> tuple[float, float] | None:
    span = TEMPLATES[template].ranges.get(name)
    return None if span is None else (span.low, span.high)


def _third(template: str | None, name: str, value: float | None) -> str | None:
    """Class of a value within its template's range, whose bounds no data have moved."""
    span = None if template is None else _range(template, name)
    if span is None or value is None:
        return None
    share = (value - span[0]) / (span[1] - span[0])
    return THIRDS[min(max(int(3.0 * share), 0), 2)]


def _absolute(value: float | None) -> str | None:
    if value is None:
        return None
    return THIRDS[sum(value >= bound for bound in ABSOLUTE)]


def _touches(trajectory: Trajectory) -> list[float]:
    """Times of touches [s]; what lies on something from the start does not begin to touch it."""
    return [event.time for event in trajectory.events if event.kind == "touch" and event.time > 0.0]


def _contacts(trajectory: Trajectory, fps: float, window: Window) -> str:
    first, last = window.frames[0] / fps, window.frames[-1] / fps
    count = sum(first < time <= last for time in _touches(trajectory))
    return next(name for most, name in CONTACTS if count <= most)


def _next_contact(trajectory: Trajectory, fps: float, window: Window) -> str:
    moment = window.frames[moment_of(len(window.frames))] / fps
    waits = [time - moment for time in _touches(trajectory) if time > moment]
    wait = min(waits, default=float("inf"))
    return next((name for most, name in SOON if wait <= most), "later")
