"""What a finding suggests is applied to every body that it names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("PySide6")

from fourdcb.metrics import Finding
from fourdcb.metrics.result import Cause


@pytest.mark.parametrize("alike", [(), ("b.friction", "c.friction")])
def test_a_suggestion_is_one_step_for_all_its_bodies(alike: tuple[str, ...]) -> None:
    from fourdcb_studio.actions.handlers import FindingHandlers

    cause = Cause(parameter="a.friction", current=0.3, suggested=0.5, alike=alike)
    finding = Finding(
        frame=1, time=0.1, axis="physics", objects=("a",), arguments={"text": "a slides"}, likely_cause=cause
    )
    steps: list[tuple[dict[str, float], str]] = []
    session = SimpleNamespace(
        selection=SimpleNamespace(finding=0),
        findings=(finding,),
        set_values=lambda values, label: steps.append((values, label)),
    )
    bench: Any = SimpleNamespace(session=session)
    FindingHandlers(bench).apply_cause()
    assert steps == [(dict.fromkeys(("a.friction", *alike), 0.5), "apply a.friction")]
