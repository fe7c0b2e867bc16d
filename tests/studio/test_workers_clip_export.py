"""The pictures of an exported clip are those of each role's own frame."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fourdcb.dsl import load_script
from fourdcb.progress import NullProgress
from fourdcb.render import RenderSettings
from fourdcb.replay import ReplayCache, replay
from fourdcb_studio.views.compare.clip_export import ClipExport, _Sources
from fourdcb_studio.views.compare.look import CompareLook


def test_only_the_candidate_is_looked_at_ahead_even_where_roles_show_one_world(
    scene_folder, tmp_path: Path
) -> None:
    world = load_script(scene_folder.script).world
    drawn = replay(world).frames
    assert drawn is not None
    request = ClipExport(
        output=str(tmp_path / "clip.mp4"), n_frames=world.n_frames, fps=world.fps, first=0, last=3,
        worlds={"reference": world, "candidate": world, "before": world}, videos={}, offset=5,
        look=CompareLook(), width=320, height=200, ratio=1.0, theme="dark", outlines=False,
    )  # fmt: skip
    replays = ReplayCache(RenderSettings())
    try:
        pictures = _Sources(request, replays, NullProgress())._pictures
        for role, frame in (("reference", 2), ("before", 2), ("candidate", 7)):
            np.testing.assert_array_equal(pictures[role](2), drawn[frame], err_msg=role)
    finally:
        replays.close()
