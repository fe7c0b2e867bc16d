"""What is known of a generated clip frame by frame, as arrays."""

from __future__ import annotations

import io
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.identity import canonical_json
from fourdcb.render import Frame, optical_flow
from fourdcb.trajectory import ContactTable, Trajectory
from fourdcb.world import World


class TruthBuffers:
    """Geometry buffers of a clip, gathered frame by frame."""

    def __init__(self, world: World, trajectory: Trajectory) -> None:
        self._world, self._trajectory = world, trajectory
        self._depth: list[NDArray[Any]] = []
        self._normal: list[NDArray[Any]] = []
        self._instance: list[NDArray[Any]] = []
        self._flow: list[NDArray[Any]] = []

    def add(self, frame: Frame, t: float) -> None:
        """Take the buffers of the next frame, at ``t`` [s]."""
        flow = optical_flow(self._world, self._trajectory, frame, t=t, dt=1.0 / self._world.fps)
        self._depth.append(frame.depth.astype(np.float16))
        self._normal.append(np.rint(127.0 * frame.normal).astype(np.int8))
        self._instance.append(frame.instance)
        self._flow.append(flow.astype(np.float16))

    def packed(self) -> bytes:
        """All of it as a compressed ``.npz``.

        depth float16 [m], (T, H, W); normal int8 / 127, (T, H, W, 3); instance int16, (T, H, W), −1 for none;
        flow float16 [px to the next frame], (T, H, W, 2); visible_pixels (T, N); of a fluid, whose number
        in ``instance`` is N, the particles, float32 [m], (T, P, 3); poses and velocities at the
        frames; the whole contact table.
        """
        steps, trajectory = self._trajectory.frame_steps(), self._trajectory
        count = len(self._world.bodies)
        visible = [np.bincount(i[i >= 0].ravel(), minlength=count)[:count] for i in self._instance]
        contacts = {f"contacts_{f.name}": getattr(trajectory.contacts, f.name) for f in fields(ContactTable)}
        arrays: dict[str, Any] = {
            "names": np.array(canonical_json(trajectory.names)),
            "times": trajectory.times[steps],
            "position": trajectory.position[steps],
            "orientation_wxyz": trajectory.orientation_wxyz[steps],
            "linear_velocity": trajectory.linear_velocity[steps],
            "angular_velocity": trajectory.angular_velocity[steps],
            "rate_hz": np.array(trajectory.rate_hz),
            **contacts,
            "depth": np.stack(self._depth),
            "normal": np.stack(self._normal),
            "instance": np.stack(self._instance),
            "flow": np.stack(self._flow),
            "visible_pixels": np.stack(visible),
            **_particles(trajectory),
        }
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        return buffer.getvalue()


def _particles(trajectory: Trajectory) -> dict[str, Any]:
    track = trajectory.particles
    return {} if track is None else {"particles": track.position.astype(np.float32)}
