"""The part of an exported page that shows what the edits change: values, verdicts, pictures of one frame."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourdcb.identity import write_atomic
from fourdcb.world import World, parameter

_END = "</body>"
Named = tuple[str, NDArray[np.uint8] | None]


def add_before_after(
    page: Path, *, before: World, edits: Mapping[str, float], verdicts: tuple[str, str], frame: int,
    pictures: Sequence[Named],
) -> None:  # fmt: skip
    """Write the part into a self-contained page, at its end.

    Args:
        before: the world without the edits.
        verdicts: before and after; "" for one that is not known.
        frame: which frame the pictures show.
        pictures: names and sRGB uint8 images, shape (H, W, 3).
    """
    text = page.read_text(encoding="utf-8")
    head, end, tail = text.rpartition(_END)
    part = _part(before, edits, verdicts, frame, pictures)
    write_atomic(page, head + part + end + tail if end else text + part)


def _part(
    before: World,
    edits: Mapping[str, float],
    verdicts: tuple[str, str],
    frame: int,
    pictures: Sequence[Named],
) -> str:
    rows = [
        f"<tr><td><code>{html.escape(path)}</code></td>"
        f"<td>{parameter(before, path).value:.6g}</td><td>{value:.6g}</td></tr>"
        for path, value in edits.items()
    ]
    if any(verdicts):
        words = [html.escape(v.replace("_", " ").lower()) or "not judged" for v in verdicts]
        rows.append(f"<tr><td>verdict</td><td>{words[0]}</td><td>{words[1]}</td></tr>")
    figures = "".join(
        f'<figure style="margin:0"><img alt="{html.escape(name)}" src="{_data(image)}" '
        f'style="width:100%;display:block"><figcaption>{html.escape(name)}, frame {frame}</figcaption>'
        "</figure>"
        for name, image in pictures
        if image is not None
    )
    columns = "repeat(auto-fit,minmax(220px,1fr))"
    return (
        '<section id="before-after" style="max-width:1080px;margin:24px auto;padding:0 16px">'
        "<h2>Before and after the edit</h2>"
        "<table><thead><tr><th></th><th>before</th><th>after</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
        f'<div style="display:grid;gap:12px;grid-template-columns:{columns};margin-top:16px">{figures}</div>'
        "</section>"
    )


def _data(image: NDArray[np.uint8]) -> str:
    import cv2

    _, encoded = cv2.imencode(".png", np.ascontiguousarray(image[..., ::-1]))
    return "data:image/png;base64," + base64.b64encode(encoded.tobytes()).decode("ascii")
