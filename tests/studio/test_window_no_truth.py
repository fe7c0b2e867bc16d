"""A video and a script without a truth: what moves is measured at every frame, and where it parts."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb_studio.jobs.picture_series import departure
from fourdcb_studio.main_window import MainWindow

PATIENCE_MS = 120_000


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 20), st.integers(3, 20), st.integers(0, 5))
def test_the_parting_is_where_a_lasting_gap_begins(together: int, apart: int, gaps: int) -> None:
    overlap = np.array([0.9] * together + [0.2] * apart)
    assert departure(overlap) == together
    flicker = np.array([0.9] * together + [0.2, 0.2] + [0.8] * gaps + [0.9])
    assert departure(flicker) is None
    holes = np.insert(overlap, together + 1, [np.nan] * gaps)
    assert departure(holes) == together, "where nothing moves nobody can tell"
    assert departure(np.full(9, np.nan)) is None


def test_a_wrong_bounce_parts_after_its_impact_and_the_right_one_never(
    window: MainWindow, scene_folder, tmp_path: Path, until
) -> None:
    session = window.session
    alone = tmp_path / "real"  # away from the truth
    alone.mkdir()
    files = [Path(shutil.copy(path, alone)) for path in (scene_folder.script, scene_folder.video)]
    window.open_paths(files)
    assert session.reference is None
    until(lambda: session.pictures is not None)
    window.flush()
    impact = next(e.time for e in session.motion("candidate").events if e.kind == "bounce")
    found = session.pictures.departure
    assert found is not None
    assert impact * 30 <= found <= impact * 30 + 8
    assert window.parts.time.data().departure == found
    assert str(found) in window.parts.time._legend._horizon.text()
    iou = session.pictures.tracks["silhouette_iou"]
    assert np.nanmax(iou[: int(impact * 30)]) > 0.8
    window.actions_.run("view_plots")
    window.parts.plots.choose(quantities=("silhouette_iou", "flow_error", "ssim"))
    window.flush()
    assert [p.id for p in window.parts.plots.shown_data().panels] == ["ssim", "flow_error", "silhouette_iou"]
    session.commit("ball.restitution", 0.8)
    until(lambda: session.pictures is not None)
    window.flush()
    assert session.pictures.departure is None
    assert window.parts.time.data().departure is None
    assert np.nanmin(session.pictures.tracks["silhouette_iou"]) > 0.7  # a ball of a few pixels
