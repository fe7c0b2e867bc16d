"""Words and arrays that the presenter writes into the widgets, made from plain values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from fourdcb.metrics.result import Report
from fourdcb_studio.session.state import ShownImage, Status


def none_found(report: Report, *, pair: bool) -> tuple[str, str]:
    if pair:
        return "No findings", "The pictures are alike."
    if report.verdict == "INCONCLUSIVE":
        return "Nothing could be judged", "; ".join(report.reasons[:2])
    return "No findings", "Every metric meets its threshold."


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
        return "loop I–O" if has_range else "loop all"
    return "loop off"


def timings(status: Status) -> str:
    parts = []
    if status.rate_hz is None:  # nothing is simulated: times of another scene would mislead
        word = "judged" if status.width else "compared"
        return "" if status.judge_s is None else f"{word} in {status.judge_s:.1f} s"
    if status.simulate_ms is not None:
        parts.append(f"simulated {status.simulate_ms:.0f} ms")
    if status.draw_ms is not None:
        parts.append(f"drawn {status.draw_ms:.0f} ms")
    if status.judge_s is not None:
        parts.append(f"judged in {status.judge_s:.1f} s")
    return " · ".join(parts)


def facts(status: Status) -> str:
    parts = []
    if status.rate_hz is not None:
        parts += [f"{status.rate_hz:.0f} Hz", "raster", f"{status.width}×{status.height}"]
    parts.append(f"{status.memory_mb:.0f} of {status.budget_mb:.0f} MB")
    return " · ".join(parts)
