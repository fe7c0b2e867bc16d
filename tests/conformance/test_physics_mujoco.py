"""Cases that MuJoCo covers: two engines, one answer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fourdcb.physics import simulate
from fourdcb.physics.conformance.scenes import slope, stage, thing
from fourdcb.trajectory import Trajectory

mujoco = pytest.importorskip("mujoco")

MODEL = """
<mujoco>
  <option timestep="{dt}" gravity="{gravity}" integrator="RK4" cone="elliptic"/>
  <worldbody>
    <geom type="plane" size="20 20 1" friction="{friction} 0 0"/>
    <body pos="{pos}" quat="{quat}"><freejoint/>
      <geom type="{kind}" size="{size}" mass="1" friction="{friction} 0 0" solref="0.004 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def mujoco_path(
    *, steps: int, velocity: tuple[float, ...] = (0, 0, 0, 0, 0, 0), **fields: object
) -> np.ndarray:
    """Positions [m], shape (steps + 1, 3), of one body at 960 Hz."""
    filled = {"dt": 1 / 960, "gravity": "0 0 -9.8", "friction": 1.0, "quat": "1 0 0 0", **fields}
    model = mujoco.MjModel.from_xml_string(MODEL.format(**filled))
    data = mujoco.MjData(model)
    data.qvel[:] = velocity
    path = [data.qpos[:3].copy()]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        path.append(data.qpos[:3].copy())
    return np.array(path)


def along(run: Trajectory, direction: np.ndarray) -> np.ndarray:
    return (run.position[:, 0] - run.position[0, 0]) @ direction


def test_projectile() -> None:
    body = thing("box", "box", (0.0, 0.0, 1.0), size=(0.1, 0.1, 0.1), vel=(2.0, -1.0, 4.0))
    run = simulate(stage(body, duration=0.8))
    other = mujoco_path(
        steps=len(run.times) - 1, pos="0 0 1", kind="box", size="0.05 0.05 0.05", velocity=(2, -1, 4, 0, 0, 0)
    )
    np.testing.assert_allclose(run.position[:, 0], other, atol=1e-6)


@pytest.mark.parametrize(
    ("geometry", "angle", "friction", "kind", "size", "quat", "pos"),
    [
        ("box", 30.0, 0.3, "box", "0.05 0.05 0.05", "1 0 0 0", (0.0, 0.0, 0.05)),
        ("sphere", 10.0, 0.8, "sphere", "0.05", "1 0 0 0", (0.0, 0.0, 0.05)),
        ("cylinder", 10.0, 0.8, "cylinder", "0.04 0.05", "0.70710678 0.70710678 0 0", (0.0, 0.0, 0.04)),
    ],
    ids=["sliding box", "rolling sphere", "rolling cylinder"],
)
def test_down_a_slope(geometry, angle, friction, kind, size, quat, pos) -> None:
    plane, downhill, rot = slope(angle)
    start = tuple(float(x) for x in np.array(plane.normal) * pos[2])
    extents = {"box": (0.1, 0.1, 0.1), "sphere": (0.1, 0.1, 0.1), "cylinder": (0.08, 0.08, 0.1)}[geometry]
    lying = tuple(float(x) for x in quat.split()) if geometry == "cylinder" else rot
    body = thing("body", geometry, start, size=extents, rot=lying, friction=friction)
    run = simulate(stage(body, duration=1.0, planes=(plane,)))
    # MuJoCo keeps its plane level and tilts gravity instead.
    tilted = f"{9.8 * math.sin(math.radians(angle))} 0 {-9.8 * math.cos(math.radians(angle))}"
    other = mujoco_path(
        steps=len(run.times) - 1, gravity=tilted, friction=friction, pos=" ".join(map(str, pos)), kind=kind,
        size=size, quat=quat,
    )  # fmt: skip
    ours, theirs = along(run, downhill)[-1], other[-1, 0] - other[0, 0]
    assert ours == pytest.approx(theirs, rel=0.015)
