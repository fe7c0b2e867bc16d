"""Words and arrays that the presenter writes into the widgets, made from plain values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Report
from fourdcb.words import tr
from fourdcb_studio.session.state import ShownImage, Status


def none_found(report: Report, *, pair: bool) -> tuple[str, str]:
    if pair:
        return tr("No findings"), tr("The pictures are alike.")
    if report.verdict == "INCONCLUSIVE":
        return tr("Nothing could be judged"), "; ".join(report.reasons[:2])
    return tr("No findings"), tr("Every metric meets its threshold.")


def color_at(shown: ShownImage, x: int, y: int) -> tuple[int, int, int] | None:
    image = shown.image
    if image is None or y >= image.shape[0] or x >= image.shape[1]:
        return None
    red, green, blue = (int(v) for v in image[y, x])
    return red, green, blue


def mask(frames: Iterable[int], length: int) -> NDArray[np.bool_]:
    mask = np.zeros(length, dtype=bool)
    mask[[k for k in frames if k < length]] = True
    return mask


def loop_word(loop: str, has_range: bool) -> str:
    if loop == "ping_pong":
        return "ping-pong"
    if loop == "loop":
        return tr("loop I–O") if has_range else tr("loop all")
    return tr("loop off")


def timings(status: Status) -> str:
    parts = []
    if status.rate_hz is None:  # nothing is simulated: times of another scene would mislead
        word = tr("judged") if status.width else tr("compared")
        return (
            ""
            if status.judge_s is None
            else tr("{word} in {judge_s:.1f} s", word=word, judge_s=status.judge_s)
        )
    if status.simulate_ms is not None:
        parts.append(tr("simulated {simulate_ms:.0f} ms", simulate_ms=status.simulate_ms))
    if status.draw_ms is not None:
        parts.append(tr("drawn {draw_ms:.0f} ms", draw_ms=status.draw_ms))
    if status.judge_s is not None:
        parts.append(tr("judged in {judge_s:.1f} s", judge_s=status.judge_s))
    return " · ".join(parts)


def facts(status: Status) -> str:
    parts = []
    if status.rate_hz is not None:
        parts += [f"{status.rate_hz:.0f} Hz", "raster", f"{status.width}×{status.height}"]
    parts.append(
        tr("{memory_mb:.0f} of {budget_mb:.0f} MB", memory_mb=status.memory_mb, budget_mb=status.budget_mb)
    )
    return " · ".join(parts)
