"""The judge as a metric: replays a script and gives the numbers of all four axes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import Aggregate, GenerationRequest, GenerationResult, SampleScore
from fourdcb.evaluation.api.metric import Direction
from fourdcb.evaluation.statistics import aggregate_mean
from fourdcb.evaluation.thumbnail import thumbnail
from fourdcb.identity import file_sha256, write_output
from fourdcb.metrics.criteria import load_criteria
from fourdcb.metrics.result import AXES, Report
from fourdcb.metrics.series_file import series_name, with_series_beside
from fourdcb.metrics.specs import specs_of

if TYPE_CHECKING:
    from fourdcb.evaluation.candidate import Evaluation

VERSION = "2"
_SHARES: dict[str, Direction] = {
    "deployable": "higher",
    "inconclusive": "lower",
    "script_valid": "higher",
    **{f"{axis}_passed": "higher" for axis in AXES},
}
_PICTURES: dict[str, Direction] = {"psnr": "higher", "ssim": "higher"}


@dataclass(frozen=True, kw_only=True)
class JudgeMetric:
    """Judges a sample's script by :func:`fourdcb.evaluation.candidate.evaluate`.

    Attributes:
        references: truth script of each sample; samples that are not named have none.
        videos: video of each sample.
        criteria: thresholds; None takes the bundled ones.
        reports: folder in which each sample's report.json is left, by
            :func:`fourdcb.evaluation.runs.folder.file_name`;
            None leaves none. No part of the metric's definition.
    """

    references: Mapping[str, str] = field(default_factory=dict)
    videos: Mapping[str, str] = field(default_factory=dict)
    criteria: str | None = None
    reports: str | None = None

    id = "judge"
    version = VERSION
    direction = None

    @property
    def outputs(self) -> Mapping[str, Direction | None]:
        """All numbers by id, with their direction."""
        # What tells of the machine differs from run to run: it is no score.
        rows = [spec for axis in AXES for spec in specs_of(axis) if not spec.of_machine]
        sides: dict[str, Direction] = {
            spec.id: "lower" if spec.direction == "below" else "higher" for spec in rows
        }
        return {**_SHARES, **sides, **_PICTURES}

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The thresholds by id, version and hash."""
        return criteria_record(self.criteria)

    def compute_sample(self, request: GenerationRequest, result: GenerationResult) -> Sequence[SampleScore]:
        """All numbers of one script.

        Raises:
            UserError: the video or the truth cannot be used; that is no fault of the script.
        """
        with tempfile.TemporaryDirectory(prefix="fourdcb-judge-") as folder:
            code = Path(folder) / "answer.py"
            code.write_text(result.artifacts["script"], encoding="utf-8", errors="replace")
            return self._judged(request.sample_id, code)

    def _judged(self, sample_id: str, code: Path) -> Sequence[SampleScore]:
        from fourdcb.evaluation.candidate import evaluate
        from fourdcb.evaluation.rejected import rejected_report, rejection

        video, reference = self.videos[sample_id], self.references.get(sample_id)
        try:
            found = evaluate(code, video, reference=reference, criteria=self.criteria, timed=False)
        except UserError as error:
            reason = rejection(error, code)
            if reason is None:
                raise
            report = rejected_report(
                reason, error, code=code, video=video, reference=reference, criteria=self.criteria
            )
            self._leave_case(sample_id, code, report, None)
            return self.worst(sample_id, reason, detail=_first_line(error, code))
        self._leave_case(sample_id, code, found.report, found)
        return _scores(found.report, sample_id, tuple(self.outputs))

    def _leave_case(self, sample_id: str, code: Path, report: Report, found: Evaluation | None) -> None:
        """A folder that the Studio opens as a case: report, script, and a picture of where it fails."""
        from fourdcb.evaluation.runs.folder import RunFolder, file_name

        if self.reports is None:
            return
        folder = RunFolder(Path(self.reports))
        place = folder.root / file_name(sample_id)
        folder.make(place)
        script = place / "candidate.py"
        write_output(script, code.read_bytes())
        inputs = {**report.inputs, "code": {**report.inputs["code"], "path": str(script)}}
        path = place / "report.json"
        # A run leaves thousands of reports: what they say is read without their series.
        document, series = with_series_beside(replace(report, inputs=inputs).to_json(), series_name(path))
        write_output(place / series_name(path), series)
        folder.write_json(path, document)
        image = None if found is None else thumbnail(found)
        if image is not None:
            import cv2

            good, data = cv2.imencode(".png", image[..., ::-1])
            assert good
            write_output(place / "thumbnail.png", bytes(data.tobytes()))

    def worst(self, sample_id: str, reason: str, *, detail: str = "") -> Sequence[SampleScore]:
        """The worst verdict, for a script that cannot be judged: every share at its worst, no figures."""
        told = {"message": detail} if detail else {}
        return [
            SampleScore(sample_id=sample_id, metric_id=name, value=0.0, reason=reason, detail=told)
            if name in _SHARES
            else SampleScore(sample_id=sample_id, metric_id=name, status="skipped", reason=reason)
            for name in self.outputs
        ]

    def aggregate(self, scores: Sequence[SampleScore], groups: Mapping[str, str]) -> Aggregate:
        """Mean over the samples that have a number, with an interval over groups."""
        return aggregate_mean(scores, groups, share=bool(scores) and scores[0].metric_id in _SHARES)


def criteria_record(path: str | None) -> dict[str, Any]:
    """Id, version and SHA-256 of thresholds."""
    from importlib.resources import files

    found = load_criteria(path)
    bundled = Path(str(files("fourdcb_resources") / "criteria" / "default.yaml"))
    return {"id": found.id, "version": found.version, "sha256": file_sha256(Path(path) if path else bundled)}


def _first_line(error: UserError, code: Path) -> str:
    return str(error).replace(str(code), "answer.py").splitlines()[0][:300]


def _scores(report: Report, sample_id: str, wanted: Sequence[str]) -> list[SampleScore]:
    shares: dict[str, float | None] = {
        "deployable": {"DEPLOYABLE": 1.0, "DEPLOYMENT_NOT_RECOMMENDED": 0.0}.get(report.verdict),
        "inconclusive": float(report.verdict == "INCONCLUSIVE"),
        "script_valid": 1.0,
    }
    for axis, result in report.axes.items():
        shares[f"{axis}_passed"] = None if result.passed is None else float(result.passed)
    figures = {name: m for axis in report.axes.values() for name, m in axis.metrics.items()} | dict(
        report.image
    )
    scores = []
    for name in wanted:
        if name in shares:
            value = shares[name]
            there = value is not None
            scores.append(
                SampleScore(
                    sample_id=sample_id,
                    metric_id=name,
                    value=value,
                    status="ok" if there else "skipped",
                    reason=None if there else "inconclusive",
                )
            )
            continue
        metric = figures.get(name)
        if metric is None:
            continue
        status = {"ok": "ok", "not_applicable": "not_applicable"}.get(metric.status, "skipped")
        scores.append(
            SampleScore(
                sample_id=sample_id,
                metric_id=name,
                value=metric.value,
                status=status,  # type: ignore[arg-type]
                reason=None if status == "ok" else metric.status,
                detail={} if metric.passed is None else {"passed": metric.passed},
            )
        )
    return scores
