"""Frames kept on disk: found again, never mixed with another render's, never somebody else's files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.render import Frame
from fourdcb.render.frame_folder import FrameFolder
from fourdcb.render.settings import no_buffers


def frame(value: int) -> Frame:
    rgb = np.full((6, 8, 3), value, np.uint8)
    return Frame(rgb, rgb.astype(np.float32) / 10.0, *no_buffers())


def test_frames_are_found_again(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {"seed": 1})
    assert (folder.kept, folder.replaced) == (0, False)
    folder.put(3, frame(30))
    folder.close()
    again = FrameFolder(tmp_path / "f", {"seed": 1})
    assert (again.kept, again.replaced) == (1, False)
    np.testing.assert_array_equal(again.get(3), frame(30).rgb)
    assert again.get(2) is None
    with np.load(tmp_path / "f" / "frame_000003.npz") as arrays:
        np.testing.assert_allclose(arrays["linear"], 3.0, rtol=1e-3)
    again.remove()
    assert not (tmp_path / "f").exists()


def test_another_render_starts_anew(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {"seed": 1})
    folder.put(0, frame(1))
    folder.close()
    other = FrameFolder(tmp_path / "f", {"seed": 2})
    assert (other.kept, other.replaced) == (0, True)
    assert other.get(0) is None


def test_what_a_killed_render_leaves_is_no_frame(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {})
    folder.put(0, frame(1))
    whole = (tmp_path / "f" / "frame_000000.npz").read_bytes()
    (tmp_path / "f" / "frame_000001.npz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "f" / ".frame_000002.npz.x1.part").write_bytes(whole)
    folder.close()
    again = FrameFolder(tmp_path / "f", {})
    assert again.get(0) is not None
    assert again.get(1) is None
    assert not list((tmp_path / "f").glob("*.part"))


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "frame_000000.npz").write_text("mine")
    with pytest.raises(UserError, match="not a folder of kept frames"):
        FrameFolder(tmp_path, {})
    (tmp_path / "manifest.json").write_text(json.dumps({"format": "another"}))
    with pytest.raises(UserError, match="not a folder of kept frames"):
        FrameFolder(tmp_path, {})
    assert (tmp_path / "frame_000000.npz").read_text() == "mine"
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="not a folder of kept frames"):
        FrameFolder(tmp_path / "file", {})


def test_removing_spares_what_was_added(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {})
    folder.put(0, frame(1))
    (tmp_path / "f" / "notes.txt").write_text("mine")
    folder.remove()
    assert [file.name for file in (tmp_path / "f").iterdir()] == ["notes.txt"]


def test_two_renders_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {})
    with pytest.raises(UserError, match="another render"):
        FrameFolder(tmp_path / "f", {})
    folder.close()
    FrameFolder(tmp_path / "f", {}).close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        FrameFolder(tmp_path / "no" / "f", {})


def test_what_is_no_frame_of_this_size_is_drawn_again(tmp_path: Path) -> None:
    folder = FrameFolder(tmp_path / "f", {}, size=(6, 8))
    good = frame(7).rgb
    for k, rgb in enumerate(
        [
            good[:3],
            good[..., 0],
            good.astype(np.float32),
            np.full((6, 8, 3), np.nan),
            np.array([{}], dtype=object),
        ]
    ):
        np.savez(tmp_path / "f" / f"frame_{k:06d}.npz", rgb=rgb)
        assert folder.get(k) is None
    os.mkfifo(tmp_path / "f" / "frame_000009.npz")
    assert folder.get(9) is None
    folder.put(0, frame(7))
    whole = bytearray((tmp_path / "f" / "frame_000000.npz").read_bytes())
    np.testing.assert_array_equal(folder.get(0), good)
    for at in range(30, len(whole) - 1, 7):  # whatever is flipped: the frame as it was, or none
        torn = whole.copy()
        torn[at] ^= 0xFF
        (tmp_path / "f" / "frame_000000.npz").write_bytes(torn)
        found = folder.get(0)
        assert found is None or np.array_equal(found, good)


def test_a_manifest_nested_too_deeply_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[" * 200_000)
    with pytest.raises(UserError, match="not a folder of kept frames"):
        FrameFolder(tmp_path, {})
