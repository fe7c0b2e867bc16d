"""Judges one script in a guarded process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError


@dataclass(frozen=True)
class JudgeWork:
    """A payload is ``{"script", "video", "reference"}``, the answer a report."""

    def open(self) -> Callable[[dict[str, Any]], Any]:
        """The call of one payload."""
        return _judged

    def close(self) -> None:
        """Nothing is held."""


def _judged(payload: dict[str, Any]) -> Any:
    from fourdcb.evaluation.candidate import evaluate
    from fourdcb.evaluation.rejected import rejected_report, rejection

    with tempfile.TemporaryDirectory(prefix="fourdcb-agent-") as folder:
        code = Path(folder) / "answer.py"
        code.write_text(payload["script"], encoding="utf-8", errors="replace")
        video, reference = payload["video"], payload["reference"]
        try:
            return evaluate(code, video, reference=reference, timed=False).report
        except UserError as error:
            reason = rejection(error, code)
            if reason is None:
                raise
            return rejected_report(reason, error, code=code, video=video, reference=reference, criteria=None)
