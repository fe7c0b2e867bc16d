"""Everything that an agent can do, without a word of the protocol that carries it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourdcb.agents.judge_work import JudgeWork
from fourdcb.agents.replies import bounded, findings_text, verdict_text
from fourdcb.agents.tool_work import GuardedTools, check_frame, png
from fourdcb.dsl import parse_script, schema_prompt
from fourdcb.errors import UserError
from fourdcb.evaluation.catalog import find_entry, load_benchmarks
from fourdcb.evaluation.catalog.samples import find_samples
from fourdcb.evaluation.runs.plan import PlannedSample
from fourdcb.metrics.result import Report
from fourdcb.work import Limits
from fourdcb.work.guarded import GuardedWorker
from fourdcb.work.journal import Journal

LONGEST_WAIT_S = 90.0
_KEPT_JOBS = 32
JUDGING = Limits(seconds=300.0, memory_mb=4096.0)


@dataclass
class Job:
    """One judgement that runs or has ended."""

    sample: str
    names: tuple[str, ...]
    done: threading.Event = field(default_factory=threading.Event)
    report: Report | None = None
    error: str | None = None
    worker: GuardedWorker | None = None
    cancelled: bool = False


class AgentDesk:
    """The tools of one agent.

    Args:
        benchmark: id of the catalog, or a folder of scenes.
        exam: hides expected values and suggestions, and has every call recorded.
        record: journal of all calls; needed for an exam.

    Raises:
        UserError: there is no such benchmark, or an exam without a record.
    """

    def __init__(self, benchmark: str, *, exam: bool = False, record: Path | None = None) -> None:
        if exam and record is None:
            raise UserError("an exam needs a record", hint="name a file with --record")
        root = Path(benchmark)
        if not root.is_dir():
            root = find_entry(load_benchmarks(), benchmark, what="benchmark").data
        self._root, self._exam = root.resolve(), exam
        self._samples = {sample.sample_id: sample for sample in find_samples(self._root)}
        self._jobs: dict[str, Job] = {}
        self._tools = GuardedTools()
        self._journal = None if record is None else Journal(record)
        self._lock = threading.Lock()

    def close(self) -> None:
        """End what still runs. A second call does nothing."""
        for name in list(self._jobs):
            self.cancel(name)
        self._tools.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def recorded(self, tool: str, arguments: Mapping[str, Any], reply: str) -> str:
        """Put a call on record; returns the reply as it may be sent."""
        reply = bounded(reply)
        if self._journal is not None:
            with self._lock:
                self._journal.append(
                    [{"tool": tool, "arguments": dict(arguments), "reply": reply, "time": time.time()}]
                )
        return reply

    # --- tools -----------------------------------------------------------------------------------------

    def schema(self) -> str:
        """The language of the world script."""
        return schema_prompt()

    def samples(self) -> str:
        """All samples with what may be known of them: length, rate, size, declared camera."""
        from fourdcb.video import VideoReader

        lines = []
        for sample in self._samples.values():
            with VideoReader(self._root / sample.video) as reader:
                info = reader.info
            camera = json.dumps(sample.request["inputs"].get("camera"))
            lines.append(
                f"{sample.sample_id}: {info.n_frames} frames at {info.fps:g} per second, "
                f"{info.width} x {info.height}; camera {camera}"
            )
        return "\n".join(lines)

    def video_frame(self, sample: str, frame: int) -> bytes:
        """PNG of one frame of a sample's video, 256 px at most."""
        from fourdcb.video import VideoReader

        with VideoReader(self._root / self._sample(sample).video) as reader:
            check_frame(frame, reader.info.n_frames)
            return png(reader.frame(frame))

    def check(self, script: str) -> str:
        """``valid``, or all complaints about a script."""
        return str(self._tools.call("check", script=script))

    def simulate(self, script: str) -> str:
        """What happens in a script: touches, bounces, slides, rests, with their times."""
        return str(self._tools.call("simulate", script=script))

    def render(self, script: str, frame: int) -> bytes:
        """PNG of one frame of a script's replay, 256 px at most."""
        return bytes(self._tools.call("render", script=script, frame=frame))

    def evaluate(self, sample: str, script: str, wait: float = LONGEST_WAIT_S) -> str:
        """Judge a script; the verdict with its findings, or the name of a job that is not done yet."""
        planned = self._sample(sample)
        name = self._begin(planned, script)
        return self._told(name, wait)

    def status(self, job: str, wait: float = 0.0) -> str:
        """How far a job is; waits for it for a while."""
        return self._told(self._job(job)[0], wait)

    def findings(self, job: str, page: int = 1) -> str:
        """Further findings of a job that is done."""
        _, found = self._job(job)
        if found.report is None:
            return found.error or "not done yet"
        return findings_text(found.report, found.names, exam=self._exam, page=page)

    def cancel(self, job: str) -> str:
        """End a job."""
        name, found = self._job(job)
        if found.done.is_set():
            return f"{name} is done already"
        with self._lock:
            found.cancelled = True
            if found.worker is not None:
                found.worker.kill()
        return f"{name} is cancelled"

    def apply(self, script: str, path: str, value: float) -> str:
        """The script with one number changed, every other byte kept."""
        return str(self._tools.call("apply", script=script, path=path, value=value))

    # --- jobs ------------------------------------------------------------------------------------------

    def _sample(self, name: str) -> PlannedSample:
        if name not in self._samples:
            raise UserError(f"there is no sample {name!r}", expected=", ".join(list(self._samples)[:20]))
        return self._samples[name]

    def _job(self, name: str) -> tuple[str, Job]:
        if name not in self._jobs:
            raise UserError(f"there is no job {name!r}", expected=", ".join(self._jobs) or "no job runs")
        return name, self._jobs[name]

    def _begin(self, sample: PlannedSample, script: str) -> str:
        names = _names(script)
        with self._lock:  # calls come from several threads
            running = [name for name, job in self._jobs.items() if not job.done.is_set()]
            if len(running) >= 2:
                raise UserError(
                    "two jobs run already", got=", ".join(running), hint="wait for one, or cancel it"
                )
            name = f"job-{len(self._jobs) + 1}"
            for old in list(self._jobs)[:-_KEPT_JOBS]:
                if self._jobs[old].report is not None:
                    self._jobs[old].report, self._jobs[old].error = None, "its report is not kept any more"
            self._jobs[name] = job = Job(sample=sample.sample_id, names=names)
        payload = {
            "script": script,
            "video": str(self._root / sample.video),
            "reference": None if sample.reference is None else str(self._root / sample.reference),
        }
        threading.Thread(target=self._work, args=(job, payload), name="agent-job", daemon=True).start()
        return name

    def _work(self, job: Job, payload: dict[str, Any]) -> None:
        try:
            with self._lock:  # whoever cancels meanwhile finds the worker, or keeps it from being started
                if job.cancelled:
                    return
                job.worker = GuardedWorker(JudgeWork(), JUDGING, threads=1)
            outcome = job.worker.finish(job.sample, payload)
            if outcome.status == "ok":
                job.report = outcome.value
            else:
                job.error = f"verdict: DEPLOYMENT_NOT_RECOMMENDED\n{outcome.status}: {outcome.error}"
        except UserError as error:
            job.error = str(error)
        finally:
            if job.worker is not None:
                job.worker.close()
            if job.cancelled:
                job.error = "cancelled"
            job.done.set()

    def _told(self, name: str, wait: float) -> str:
        job = self._jobs[name]
        if not job.done.wait(min(max(wait, 0.0), LONGEST_WAIT_S)):
            return f"{name} runs; ask status(job={name!r}, wait=30)"
        if job.report is None:
            return f"job: {name}\n{job.error}"
        told = verdict_text(job.report, exam=self._exam)
        return f"job: {name}\n{told}\n{findings_text(job.report, job.names, exam=self._exam)}"


def _names(script: str) -> tuple[str, ...]:
    try:
        world = parse_script(script, filename="answer.py", extract=True).world
    except UserError:
        return ()
    return (*(body.name for body in world.objects), *(plane.name for plane in world.planes))
