"""Before and after the edit: the same part in the page and in the PDF."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fourdcb.metrics import AxisResult, Finding, MetricValue, Report
from fourdcb.report import EditComparison, EditedValue, failing_frame, png_bytes, render_html, write_page

COLOURS = {"original": (200, 30, 30), "before": (30, 200, 30), "after": (30, 30, 200)}


def judged(position_error: float, *, verdict: str) -> Report:
    """A report of one metric on one axis."""
    passed = position_error < 0.02
    metric = MetricValue(value=position_error, unit="m", threshold=0.02, passed=passed)
    fine = MetricValue(value=0.0, unit="deg", threshold=3.0, passed=True)
    return Report(
        verdict=verdict, claim="diagnostic", reasons=(),  # type: ignore[arg-type]
        axes={"geometry": AxisResult(passed=passed, metrics={"delta_pos": metric, "delta_rot": fine})},
        image={}, findings=(), horizon={}, series={}, environment={},
        inputs={"code": {"path": "pred.py"}, "edits": {"cup.restitution": 0.55}},
    )  # fmt: skip


def picture(colour: tuple[int, int, int]) -> bytes:
    return png_bytes(np.full((24, 32, 3), colour, dtype=np.uint8))


AFTER = judged(0.0003, verdict="DEPLOYABLE")
BEFORE = judged(0.0273, verdict="DEPLOYMENT_NOT_RECOMMENDED")
EDITS = EditComparison(
    values=(
        EditedValue(path="cup.restitution", before=0.8, after=0.55),
        EditedValue(path="cup.mass", before=1.0, after=1.25, unit="kg"),
    ),
    before=BEFORE,
    frame=8,
    pictures=tuple((name, picture(colour)) for name, colour in COLOURS.items()),
)
ROWS = (
    "cup.restitution 0.8 → 0.55",
    "cup.mass 1 kg → 1.25 kg",
    "Verdict Not deployable → Deployable",
    "Geometry ✕ failed → ✓ passed",
    "Position error passes < 20 mm 27.3 mm → 0.3 mm",
    "original, frame 8",
    "before, frame 8",
    "after, frame 8",
)


def words_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def part_of(page: str) -> str:
    found = re.search(r'<section class="edits">.*?</section>', page, flags=re.S)
    assert found
    return found.group()


def test_page_tells_values_verdicts_and_failures_before_and_after() -> None:
    part = part_of(render_html(AFTER, edits=EDITS))
    words = words_of(part)
    for row in ("Before and after the edit", *ROWS):
        assert row in words, row
    assert "Rotation error" not in words  # it never failed
    assert part.count("data:image/png;base64,") == 3


def test_pdf_holds_the_same_pictures(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="the report extra is not installed")
    write_page(AFTER, pdf=tmp_path / "r.pdf", edits=EDITS)
    data = (tmp_path / "r.pdf").read_bytes()
    images = [
        zlib.decompress(body)
        for head, body in re.findall(
            rb"<<([^<>]*/Subtype\s*/Image.*?)>>\s*stream\r?\n(.*?)endstream", data, re.S
        )
        if b"/Filter" in head
    ]
    assert sum(bytes(colour) in image for colour in COLOURS.values() for image in images) == 3


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext of poppler")
def test_pdf_holds_the_same_words(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="the report extra is not installed")
    write_page(AFTER, pdf=tmp_path / "r.pdf", edits=EDITS)
    told = subprocess.run(["pdftotext", "-layout", tmp_path / "r.pdf", "-"], capture_output=True, check=True)
    words = " ".join(told.stdout.decode("utf-8").split())
    for row in ("Before and after the edit", *ROWS):
        assert row in words, row


def test_without_a_judgement_before_it_says_so() -> None:
    words = words_of(part_of(render_html(AFTER, edits=replace(EDITS, before=None, pictures=()))))
    assert "Verdict not judged → Deployable" in words
    assert "Geometry" not in words


def test_without_edits_there_is_no_such_part() -> None:
    page = render_html(AFTER)
    assert "Before and after" not in words_of(page)
    assert "cup.restitution = 0.55" in words_of(page)  # the inputs tell it


def test_names_are_escaped() -> None:
    edits = replace(EDITS, values=(EditedValue(path="<b>&", before=0.0, after=-1.0),))
    part = part_of(render_html(AFTER, edits=edits))
    assert "<b>" not in part
    assert "<b>& 0 → −1" in words_of(part)


@pytest.mark.parametrize(("preferred", "shown"), [(30, 30), (0, 12), (5, 12)])
def test_the_frame_on_show_is_kept_when_something_fails_there(preferred: int, shown: int) -> None:
    findings = tuple(_finding(frame, severity) for frame, severity in
                     ((30, "error"), (12, "error"), (5, "warning"), (None, "error")))  # fmt: skip
    assert failing_frame(replace(BEFORE, findings=findings), preferred=preferred) == shown
    assert failing_frame(BEFORE, preferred=7) == 7
    assert failing_frame(None, preferred=7) == 7


def _finding(frame: int | None, severity: Any) -> Finding:
    off = {"text": "off"}
    return Finding(frame=frame, time=None, axis="geometry", objects=(), arguments=off, severity=severity)
