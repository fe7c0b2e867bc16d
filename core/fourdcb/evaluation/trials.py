"""Trials of the evaluation core: runs that are killed again and again, and runs of very many samples."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.errors import FourDCBError
from fourdcb.evaluation.api import Aggregate, GenerationRequest, GenerationResult, SampleScore
from fourdcb.evaluation.statistics import aggregate_mean
from fourdcb.progress import NullProgress, Progress
from fourdcb.work.journal import read_journal

_ANSWER = "world = World()\n"


def no_op_model(video: str) -> str:
    """A model that answers at once."""
    return f"{_ANSWER}# {Path(video).parent.name}\n"


@dataclass(frozen=True)
class NoOpMetric:
    """A metric that costs nothing."""

    id = "length"
    version = "1"
    direction = None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None."""
        return {}

    def compute_sample(self, request: GenerationRequest, result: GenerationResult) -> float:
        """Length of the answer."""
        return float(len(result.artifacts["script"]))

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """The mean."""
        return aggregate_mean(scores, groups)


def make_samples(folder: Path, count: int) -> None:
    """A folder of samples whose videos nobody decodes."""
    for k in range(count):
        place = folder / f"kind{k % 12:02d}_{k:06d}"
        place.mkdir(parents=True)
        (place / "video.mp4").write_bytes(f"video {k}".encode())


def _command(samples: Path, out: Path, executor: str) -> list[str]:
    here = "fourdcb.evaluation.trials"
    return [
        sys.executable, "-m", "fourdcb", "run", "--model", f"{here}:no_op_model", "--benchmark", str(samples),
        "--metric", f"{here}:NoOpMetric", "--metric", "generation_success", "--out", str(out),
        "--executor", executor, "--workers", "2", "--resume",
    ]  # fmt: skip


def killed_runs(
    kills: int,
    *,
    samples: int,
    rng: np.random.Generator,
    executor: str = "local",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Kill runs with SIGKILL at random instants until ``kills`` were killed; resume each to its end.

    Args:
        kills: how many kills in all; a run is killed about five times before it may end.
        samples: of each run.
        rng: chooses the instants.

    Returns:
        ``kills``, ``runs``, how many scorecards were ``identical`` to an undisturbed run's, and how many
        answers were ``doubled`` or ``lost``.
    """
    told = progress or NullProgress()
    told.start("killing", kills)
    found = {"kills": 0, "runs": 0, "identical": 0, "doubled": 0, "lost": 0}
    with tempfile.TemporaryDirectory(prefix="fourdcb-trial-") as place:
        root = Path(place)
        make_samples(root / "samples", samples)
        begun = time.perf_counter()
        _ended(_command(root / "samples", root / "whole", executor))
        whole_s = time.perf_counter() - begun
        expected = (root / "whole" / "scorecard.json").read_bytes()
        while found["kills"] < kills:
            out = root / f"run{found['runs']}"
            command = _command(root / "samples", out, executor)
            for _ in range(min(5, kills - found["kills"])):
                found["kills"] += int(_killed(command, after_s=float(rng.uniform(0.0, whole_s))))
                told.advance()
            _ended(command)
            found["runs"] += 1
            found["identical"] += int((out / "scorecard.json").read_bytes() == expected)
            names = [row["sample_id"] for row in read_journal(out / "generation" / "results.jsonl").records]
            found["doubled"] += len(names) - len(set(names))
            found["lost"] += samples - len(set(names))
    return found


def _killed(command: list[str], *, after_s: float) -> bool:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=after_s)
        return False  # it had ended already
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True


def _ended(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FourDCBError(f"the run failed:\n{done.stderr.strip()}")


def many_samples(count: int) -> dict[str, Any]:
    """Run a model that does nothing over very many samples.

    Returns:
        ``samples``, ``ms_per_sample`` (generation and scoring), ``peak_mb`` of the driver, and how much of
        that came ``grown_mb`` after the first tenth.
    """
    from fourdcb.evaluation.runs.execution import run_evaluate
    from fourdcb.evaluation.runs.request import EvaluateRunRequest

    here = "fourdcb.evaluation.trials"
    with tempfile.TemporaryDirectory(prefix="fourdcb-trial-") as place:
        root = Path(place)
        make_samples(root / "samples", count)
        marks = _Marks(count)
        begun = time.perf_counter()
        run_evaluate(
            EvaluateRunRequest(
                model=f"{here}:no_op_model", benchmark=str(root / "samples"), out=root / "run",
                metrics=[f"{here}:NoOpMetric", "generation_success"], workers=os.cpu_count(),
            ),
            progress=marks,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
    return {
        "samples": count,
        "ms_per_sample": 1e3 * seconds / count,
        "peak_mb": _peak_mb(),
        "grown_mb": _peak_mb() - marks.early_mb,
    }


class _Marks:
    """A Progress that notes the memory after the first tenth."""

    def __init__(self, count: int) -> None:
        self._left = max(1, count // 10)
        self.early_mb = 0.0

    def start(self, label: str, total: int) -> None:
        return None

    def advance(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left == 0:
            self.early_mb = _peak_mb()


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
