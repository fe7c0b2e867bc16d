"""What the 3D view can show, and the state that it is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from fourdcb.arrays import F64
from fourdcb_studio.views.space.orbit import OrbitEye
from fourdcb_studio.views.space.scene import SpaceBody, SpaceMotion, SpaceWorld, poses

SpaceRole = Literal["candidate", "reference"]
Layer = Literal[
    "candidate", "ghost", "paths", "velocities", "contacts", "camera", "lights", "names", "grid"
]  # fmt: skip
LAYER_KEYS: tuple[tuple[Layer, Qt.Key], ...] = (
    ("candidate", Qt.Key.Key_R),
    ("ghost", Qt.Key.Key_G),
    ("paths", Qt.Key.Key_T),
    ("velocities", Qt.Key.Key_V),
    ("contacts", Qt.Key.Key_I),
    ("camera", Qt.Key.Key_C),
    ("lights", Qt.Key.Key_L),
    ("names", Qt.Key.Key_N),
    ("grid", Qt.Key.Key_B),
)
"""Layer and its key; its word is ``studio.space.LAYER``."""
Placed = tuple[SpaceBody, F64, F64]


@dataclass(frozen=True, slots=True, eq=False)
class SpaceState:
    """Worlds and motions at a frame, and what of them is to be seen.

    Attributes:
        picture: the replay's frame, sRGB uint8 (H, W, 3), None for none.
    """

    worlds: Mapping[SpaceRole, SpaceWorld]
    motions: Mapping[SpaceRole, SpaceMotion | None]
    layers: frozenset[Layer]
    frame: int
    eye: OrbitEye
    selected: str = ""
    picture: NDArray[np.uint8] | None = None

    def placed(self, role: SpaceRole) -> dict[str, Placed]:
        """Every body of a world with its pose at the frame, by name."""
        world = self.worlds.get(role)
        if world is None:
            return {}
        found = poses(world, self.motions[role], self.frame)
        pairs = zip(world.bodies, found, strict=True)
        return {body.name: (body, position, rotation) for body, (position, rotation) in pairs}

    def solid(self) -> dict[str, Placed]:
        """The bodies that are drawn whole: the candidate's, the reference's where there is no other."""
        if "candidate" in self.worlds:
            return self.placed("candidate") if "candidate" in self.layers else {}
        return self.placed("reference") if "ghost" in self.layers else {}

    def ghosts(self) -> dict[str, Placed]:
        """The reference's bodies where they stand otherwise than the candidate's."""
        if "ghost" not in self.layers or "candidate" not in self.worlds:
            return {}
        solid = self.solid()
        return {
            name: placed
            for name, placed in self.placed("reference").items()
            if name not in solid or not _same_pose(solid[name], placed)
        }

    @property
    def main(self) -> SpaceWorld | None:
        """The world whose camera, lights and floors are shown."""
        return self.worlds.get("candidate") or self.worlds.get("reference")


def _same_pose(one: Placed, other: Placed) -> bool:
    return np.allclose(one[1], other[1], atol=1e-6) and np.allclose(one[2], other[2], atol=1e-6)
