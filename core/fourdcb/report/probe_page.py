"""The probes' report as one page, derived from its JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.identity import write_output
from fourdcb.probes.samples import Sample, SampleTable
from fourdcb.report.html import filled

_STRIP, _SIDE = 4, 112


def write_probe_page(
    path: Path,
    values: Mapping[str, Any],
    table: SampleTable,
    *,
    checks: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Path:
    """Write the page of a report; pictures of failures are read from the videos where these are still there.

    Args:
        path: of the page.
        values: the report.
        table: samples.
        checks: rows of the ``dense`` and the ``order`` check; none where they were not run.

    Raises:
        UserError: the page cannot be written.
    """
    samples = {sample.id: sample for sample in table.samples}
    wanted = {
        failure["sample"]
        for target in values["targets"] for probe in target["probes"] for failure in probe["failures"][:3]
    }  # fmt: skip
    pictures = {name: _strip(samples[name], table.settings.side) for name in sorted(wanted)}
    page = filled(
        "probe.html.j2", report=values, pictures=pictures, checks=checks, language="en",
        title="What a frozen encoder tells", scale=_scale, percent=_percent,
    )  # fmt: skip
    write_output(path, page)
    return path


def _scale(estimate: Mapping[str, Any], chance: float) -> dict[str, float] | None:
    """Places on a scale from 0 to 1, in percent of its width."""
    if estimate["low"] is None:
        return None
    low, high = max(estimate["low"], 0.0), min(estimate["high"], 1.0)
    return {
        "low": 100 * low,
        "width": 100 * (high - low),
        "value": 100 * estimate["value"],
        "chance": 100 * chance,
    }


def _percent(count: float, total: float) -> float:
    return 0.0 if total == 0 else count / total


def _strip(sample: Sample, side: int) -> str | None:
    """A few frames of a window side by side as a data URL, or None where the video is gone."""
    import cv2

    from fourdcb.probes.windows import read_window, square
    from fourdcb.video import VideoReader

    if not sample.video.is_file():
        return None
    with VideoReader(sample.video) as reader:
        frames = read_window(reader, sample.window, min(side, _SIDE))
    picked = np.linspace(0, len(frames) - 1, min(_STRIP, len(frames))).round().astype(int)
    strip = np.concatenate([square(frames[k], _SIDE) for k in picked], axis=1)
    done, data = cv2.imencode(".jpg", strip[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])
    return f"data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}" if done else None
