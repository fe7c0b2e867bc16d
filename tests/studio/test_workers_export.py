"""An exported report of a candidate with edits: what they change, in page and PDF alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fourdcb.dsl import load_script
from fourdcb.replay import ReplayCache, finished
from fourdcb.world import with_value
from fourdcb_studio.session.messages import ExportRequest, JudgeRequest, ReplayKey
from fourdcb_studio.workers.judging import Judge

KEY = ReplayKey("candidate", "judging")


def test_edits_are_shown_before_and_after(scene_folder, replays: ReplayCache, tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="the report extra is not installed")
    before = load_script(scene_folder.script).world
    reference = load_script(scene_folder.folder / "world.py").world
    after = with_value(before, "ball.restitution", 0.8)
    judge, video = Judge(replays), str(scene_folder.video)
    reports = [
        finished(
            judge.work(JudgeRequest(job=k, key=KEY, world=world, reference=reference, video=video))
        ).report
        for k, world in enumerate((before, after))
    ]
    html, pdf = tmp_path / "told.html", tmp_path / "told.pdf"
    request = ExportRequest(
        job=3, key=KEY, report=reports[1], world=after, reference=reference, video=video,
        output=str(tmp_path / "told.json"), html=str(html), pdf=str(pdf),
        before=before, edits={"ball.restitution": 0.8}, report_before=reports[0], frame=0,
    )  # fmt: skip
    assert finished(judge.export(request)) == (request.output, request.html, request.pdf)
    part = re.search(r'<section class="edits">.*?</section>', html.read_text(encoding="utf-8"), flags=re.S)
    assert part
    words = " ".join(re.sub(r"<[^>]+>", " ", part.group()).split())
    assert "ball.restitution 0.3 → 0.8" in words
    assert "Verdict Not deployable →" in words
    failing = min(f.frame for f in reports[0].findings if f.frame is not None and f.severity == "error")
    assert failing > 0
    for name in ("original", "before", "after"):
        assert f"{name}, frame {failing}" in words
    assert pdf.read_bytes().count(b"/Subtype /Image") >= 3
