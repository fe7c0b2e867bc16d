"""What a script does not choose when it is judged: viewpoint and clock."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fourdcb.world.model import World


def on_stage_of(candidate: World, reference: World) -> World:
    """The candidate's world seen by the reference's camera, over its duration and at its frame rate.

    The script that is judged chooses neither viewpoint nor clock.
    """
    changes: dict[str, Any] = {
        "camera": reference.camera,
        "duration": reference.duration,
        "fps": reference.fps,
        "exposure": reference.exposure,
    }
    return replace(candidate, **changes)
