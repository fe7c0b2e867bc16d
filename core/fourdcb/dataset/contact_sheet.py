"""A page that shows a whole set: every clip, with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from fourdcb.dataset.layout import SHEET_NAME, VIDEO_NAME
from fourdcb.identity import write_output

_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:24px;background:#16181d;color:#e6e8ec}"
    "main{display:grid;grid-template-columns:repeat(auto-fill,minmax(180px,1fr));gap:16px}"
    "figure{margin:0}video{width:100%;border-radius:6px;display:block}"
    "figcaption{margin-top:4px;color:#aab0bb;font-size:12px}h1{font-size:20px}"
)


def write_sheet(out: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Write ``index.html`` of a set beside its manifest; the clips play from where they lie.

    Raises:
        UserError: when it cannot be written.
    """
    kept = [line for line in lines if line["accepted"]]
    tried = len(kept) + sum(len(line["rejected"]) for line in lines)
    figures = "\n".join(_figure(line) for line in kept)
    title = f"{len(kept)} samples of {tried} tried"
    page = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f"<h1>{title}</h1><main>\n{figures}\n</main></html>\n"
    )
    write_output(out / SHEET_NAME, page)


def _figure(line: dict[str, Any]) -> str:
    name, found = escape(line["sample"]), line["figures"]
    told = (
        f"{line['frames']} frames, {found['motion']:.0%} in motion, smallest {found['smallest']:.0f} px, "
        f"{found['psnr']:.1f} dB"
    )
    clip = f'<video src="{name}/{VIDEO_NAME}" autoplay loop muted playsinline></video>'
    return f"<figure>{clip}<figcaption><b>{name}</b><br>{told}</figcaption></figure>"
