"""Geometry buffers as files: the arrays are the renderer's, the flow is the motion."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fourdcb.physics import simulate
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.render.buffer_files import Buffers, buffer_pictures, write_buffers
from fourdcb.world import Camera, Object, Plane, World

SETTINGS = RenderSettings(width=48, height=40)


@pytest.fixture(scope="module")
def sliding() -> World:
    """A weightless box that glides to the camera's right."""
    box = Object(
        name="box",
        size=(0.4, 0.4, 0.4),
        mass=1.0,
        pos=(0.0, 0.0, 0.5),
        vel=(1.5, 0.0, 0.0),
        acc=(0.0, 0.0, 0.0),
    )
    camera = Camera(pos=(0.0, -3.0, 0.5), target=(0.0, 0.0, 0.5), width=48, height=40)
    return World(duration=0.2, fps=30, objects=(box,), planes=(Plane(offset=-0.5),), camera=camera)


def test_a_file_holds_the_buffers_of_its_frame(sliding: World, tmp_path: Path) -> None:
    trajectory = simulate(sliding)
    assert write_buffers(tmp_path / "aux", sliding, trajectory, SETTINGS, range(2, 4)) == 2
    about = json.loads((tmp_path / "aux" / "buffers.json").read_text())
    assert about["instances"] == ["box", "plane"]
    assert (about["format"], about["frames"], about["fps"]) == ("fourdcb.buffers", [2, 3], 30)
    frame = RasterRenderer(sliding, SETTINGS).render(trajectory, 2 / 30)
    with np.load(tmp_path / "aux" / "frame_000002.npz") as arrays:
        assert set(arrays) == set(Buffers._fields)
        for name in ("depth", "normal", "instance", "albedo", "shadow"):
            np.testing.assert_array_equal(arrays[name], getattr(frame, name))
        box = arrays["instance"] == 0
        forward, backward = arrays["flow_forward"][box], arrays["flow_backward"][box]
        assert box.sum() > 20
    # one frame moves the front face, 2.8 m away, by focal / 2.8 m * 1.5 m/s / 30
    focal = sliding.camera.intrinsics()[0, 0]
    front = np.isclose(frame.depth[box], 2.8, atol=1e-3)
    np.testing.assert_allclose(forward[front][:, 0], focal / 2.8 * 1.5 / 30, rtol=1e-2)
    np.testing.assert_allclose(forward[front], -backward[front], atol=1e-3)


def test_pictures_show_every_buffer(sliding: World, tmp_path: Path) -> None:
    from PIL import Image

    write_buffers(tmp_path, sliding, simulate(sliding), SETTINGS, [0])
    for name in Buffers._fields:
        with Image.open(tmp_path / f"frame_000000_{name}.png") as picture:
            assert picture.size == (48, 40)
    with np.load(tmp_path / "frame_000000.npz") as arrays:
        buffers = Buffers(**arrays)
    shown = buffer_pictures(buffers)
    sky, box = buffers.instance < 0, buffers.instance == 0
    assert not shown["depth"][sky].any()
    assert not shown["instance"][sky].any()
    assert len(np.unique(shown["instance"].reshape(-1, 3), axis=0)) == 3
    right, still = shown["flow_forward"][box], shown["flow_forward"][buffers.instance == 1]
    assert (right[:, 0] > 0).all()  # to the right is red
    assert not right[:, 1:].any()
    assert not still.any()
    assert (shown["flow_backward"][box][:, 1:] > 0).all()  # to the left is cyan
