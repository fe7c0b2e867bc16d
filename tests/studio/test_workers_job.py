"""Jobs in processes of their own: what they answer, and that none of them outlives its window."""

from __future__ import annotations

import importlib
import time
import weakref
from pathlib import Path

import psutil
import pytest

from fourdcb_studio.jobs.contract import JobKind
from fourdcb_studio.jobs.progress import JobAnswer, JobDone, JobFailed, JobLost, JobProgress
from fourdcb_studio.panels.job_chip import JobChip
from fourdcb_studio.workers import job_runner as jobs
from fourdcb_studio.workers.job import JobProcess

_WORK = """
import os, threading, time

def doubled(request, progress):
    progress.start("doubling", 1)
    progress.advance()
    return 2 * request

def lingering(request, progress):
    threading.Thread(target=time.sleep, args=(600,)).start()  # Python waits for it at its end
    return request

def broken(request, progress):
    raise ValueError("no such thing")

def killed(request, progress):
    os._exit(7)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "job_work_of_a_test.py").write_text(_WORK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return importlib.import_module("job_work_of_a_test")


def _answers(process: JobProcess) -> list[JobAnswer]:
    found: list[JobAnswer] = []
    until = time.monotonic() + 60.0
    while not any(isinstance(a, JobDone | JobFailed | JobLost) for a in found):
        assert time.monotonic() < until
        found += process.take()
        time.sleep(0.01)
    return found


def test_progress_and_result_come_in_order(work) -> None:
    process = JobProcess(work.doubled, 21, lambda: None)
    *told, last = _answers(process)
    assert told == [JobProgress(label="doubling", done=k, total=1) for k in (0, 1)]
    assert last == JobDone(result=42)
    process.close()


def test_what_a_job_raises_is_an_error_and_its_death_is_told(work) -> None:
    jobs = [JobProcess(each, None, lambda: None) for each in (work.broken, work.killed)]
    (failed,), lost = (_answers(job) for job in jobs)
    assert isinstance(failed, JobFailed)
    assert "ValueError: no such thing" in str(failed.error)
    assert lost == [JobLost(reason="exit code 7")]
    for job in jobs:
        job.close()


def test_a_job_that_has_answered_and_does_not_end_is_ended(work) -> None:
    process = JobProcess(work.lingering, "here", lambda: None)
    pid = process.pid
    assert pid is not None
    assert _answers(process) == [JobDone(result="here")]
    process.close()
    assert not process.is_alive
    assert not psutil.pid_exists(pid)


def test_a_runner_lets_go_of_the_jobs_that_have_ended(work, application, qtbot, monkeypatch) -> None:
    made: list[weakref.ref[JobProcess]] = []

    def recorded(*arguments: object) -> JobProcess:
        process = JobProcess(*arguments)  # type: ignore[arg-type]
        made.append(weakref.ref(process))
        return process

    monkeypatch.setattr(jobs, "JobProcess", recorded)
    results: list[object] = []
    chip = JobChip()
    qtbot.addWidget(chip)
    kind = JobKind(name="doubled", request=int, place="process", work=f"{work.__name__}:doubled")
    runner = jobs.JobRunner(kind, chip, on_done=results.append, on_error=results.append)
    runner.start(21, text="doubling", words=lambda told: told.label)
    qtbot.waitUntil(lambda: results == [42], timeout=60_000)

    def first_has_left() -> bool:
        process = made[0]()
        return process is None or not process.is_alive

    qtbot.waitUntil(first_has_left, timeout=60_000)
    runner.cancel()
    assert made[0]() is None
    assert not runner.is_running
    runner.close()
