"""The scheduler with a fake process: latest wins, one frame in flight, nothing queued, crashes survived."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.metrics.result import Report
from fourdcb.world import Object, World, with_value
from fourdcb_studio.jobs.scheduler import DRAG_PAUSE, Scheduler
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.messages import (
    CancelRequest,
    CaseRequest,
    ClipAnswer,
    ClipRequest,
    Failed,
    FrameAnswer,
    FrameRequest,
    JudgeAnswer,
    JudgeRequest,
    MotionAnswer,
    ProbeAnswer,
    ProbeRequest,
    Request,
    WorkerLost,
    WorkerReady,
)
from fourdcb_studio.session.motion import Motion

_WORLD = World(
    duration=0.2,
    fps=30.0,
    objects=(Object(name="cup", pos=(0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8)),),
)
_MOTION = Motion(
    names=("cup",), moving=(True,), rate_hz=240.0, times=np.zeros(1), position=np.zeros((1, 1, 3)),
    orientation_wxyz=np.ones((1, 1, 4)), velocity=np.zeros((1, 1, 3)), speed=np.zeros((1, 1)),
    energy=np.zeros((1, 1)),
    kinetic=np.zeros((1, 1)), spin=np.zeros((1, 1)), impulse=np.zeros((1, 1)), events=(),
)  # fmt: skip
_REPORT = Report(
    verdict="INCONCLUSIVE", claim="diagnostic", reasons=(), axes={}, image={}, findings=(), horizon={},
    series={}, inputs={}, environment={},
)  # fmt: skip


class FakeProcess:
    """Records requests; answers when the test says so."""

    def __init__(self, clock) -> None:
        self.sent: list[Request] = []
        self.store = FrameStore()
        self.scheduler = Scheduler(self.store, now=clock, on_answer=lambda answer: None)
        self.scheduler.connect(self)
        self.scheduler.set_scene(n_frames=6, video=None)

    def send(self, request: Request) -> None:
        self.sent.append(request)

    @property
    def last(self) -> Request:
        return self.sent[-1]

    def frame(self, request: Request | None = None) -> None:
        request = request or self.last
        assert isinstance(request, FrameRequest)
        self.scheduler.receive(
            FrameAnswer(
                job=request.job, role=request.role, key=request.key, frame=request.frame,
                image=np.zeros((4, 4, 3), np.uint8), simulate_ms=1.0, draw_ms=2.0,
            )
        )  # fmt: skip

    def finish_background(self, request: Request | None = None) -> None:
        request = request or self.last
        if isinstance(request, ClipRequest):
            self.scheduler.receive(
                MotionAnswer(job=request.job, role=request.role, key=request.key, motion=_MOTION)
            )
            if request.draw:
                for k in range(6):
                    self.store.put(str(request.key), k, np.zeros((4, 4, 3), np.uint8))
            self.scheduler.receive(ClipAnswer(job=request.job, role=request.role, key=request.key))
        else:
            assert isinstance(request, JudgeRequest)
            self.scheduler.receive(JudgeAnswer(job=request.job, key=request.key, report=_REPORT, seconds=0.1))

    def settle(self) -> None:
        for _ in range(40):
            if self.scheduler.settled:
                return
            frame, background = self.scheduler._frame_job, self.scheduler._background
            if frame is not None:
                self.frame(frame)
            else:
                self.finish_background(background)
        raise AssertionError("does not settle")


@pytest.fixture
def process(manual_clock) -> FakeProcess:
    fake = FakeProcess(manual_clock)
    fake.scheduler.receive(WorkerReady(pid=1, seconds=0.1))
    return fake


def _edited(value: float) -> World:
    return with_value(_WORLD, "cup.restitution", value)


def test_nothing_is_asked_before_the_process_is_ready(manual_clock) -> None:
    fake = FakeProcess(manual_clock)
    fake.scheduler.set_target("candidate", _WORLD)
    assert fake.sent == []
    fake.scheduler.receive(WorkerReady(pid=1, seconds=0.1))
    assert isinstance(fake.last, FrameRequest)


def test_order_is_frame_then_clips_then_judgement(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _edited(0.3))
    process.scheduler.set_target("reference", _WORLD)
    process.settle()
    kinds = [(type(r).__name__, getattr(r, "role", None), getattr(r, "draw", None)) for r in process.sent]
    assert ("FrameRequest", "candidate", None) in kinds
    assert kinds.index(("ClipRequest", "candidate", True)) < kinds.index(("ClipRequest", "reference", False))
    assert kinds[-1][0] == "JudgeRequest"
    assert process.scheduler.report() is _REPORT


def test_a_clip_names_the_judgement_that_can_begin_beside_it(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _edited(0.3))
    process.scheduler.set_target("reference", _WORLD)
    process.settle()
    process.scheduler.set_target("candidate", _edited(0.4))
    process.settle()
    clips = [r for r in process.sent if isinstance(r, ClipRequest) and r.role == "candidate"]
    asked = [r for r in process.sent if isinstance(r, JudgeRequest)]
    assert clips[0].judged is None  # the reference had not moved yet
    assert clips[1].judged is not None
    assert replace(clips[1].judged, job=0) == replace(asked[1], job=0)
    assert all(r.judged is None for r in process.sent if isinstance(r, ClipRequest) and not r.draw)


def test_a_look_at_a_pixel_goes_before_another_case(process: FakeProcess, tmp_path) -> None:
    scheduler = process.scheduler
    scheduler.cases.want((tmp_path / "other.py",), current=None)
    scheduler.set_target("candidate", _edited(0.3))
    scheduler.set_target("reference", _WORLD)
    process.settle()
    assert isinstance(process.last, CaseRequest)
    case = process.last
    scheduler.probes.want(("candidate",))
    scheduler.pump()
    cancelled, probe = process.sent[-2:]
    assert isinstance(cancelled, CancelRequest)
    assert cancelled.job == case.job
    assert isinstance(probe, ProbeRequest)
    scheduler.pump()
    assert process.last is probe  # once
    facts = np.zeros((4, 4), np.float32)
    scheduler.receive(
        ProbeAnswer(
            job=probe.job, role=probe.role, key=probe.key, frame=probe.frame, depth=facts,
            instance=facts.astype(np.int16), normal=np.zeros((4, 4, 3), np.float32),
        )
    )  # fmt: skip
    assert isinstance(process.last, CaseRequest)  # and then the case again
    assert process.last.path == case.path


def test_a_drag_never_queues_and_the_latest_value_wins(process: FakeProcess, manual_clock) -> None:
    process.scheduler.set_target("candidate", _edited(0.5), dragging=True)
    before = len(process.sent)
    for k in range(50):
        manual_clock.advance(1 / 60)
        process.scheduler.set_target("candidate", _edited(0.5 + k / 100), dragging=True)
    assert len([r for r in process.sent[before:] if isinstance(r, FrameRequest)]) == 0
    process.frame(next(r for r in process.sent if isinstance(r, FrameRequest)))
    frames = [r for r in process.sent if isinstance(r, FrameRequest)]
    assert frames[-1].world == _edited(0.99)
    assert len(frames) == 2
    assert all(r.key.rate == "preview" for r in frames)


def test_frames_are_never_cancelled_but_clips_are(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _WORLD)
    process.scheduler.set_target("candidate", _edited(0.1), dragging=True)
    assert not any(isinstance(r, CancelRequest) for r in process.sent)
    process.frame()
    process.frame()
    process.scheduler.release()
    process.frame()
    clip = process.last
    assert isinstance(clip, ClipRequest)
    process.scheduler.set_target("candidate", _edited(0.2), dragging=True)
    assert CancelRequest(job=clip.job) in process.sent
    assert isinstance(process.last, FrameRequest)


def test_no_prefetch_in_a_drag_but_a_resting_slider_gets_its_motion(
    process: FakeProcess, manual_clock
) -> None:
    process.scheduler.set_target("candidate", _edited(0.1), dragging=True)
    process.frame()
    process.scheduler.pump()
    assert isinstance(process.last, FrameRequest)
    manual_clock.advance(1.01 * DRAG_PAUSE)
    process.scheduler.pump()
    assert isinstance(process.last, ClipRequest)
    assert not process.last.draw
    assert process.last.key.rate == "preview"


def test_release_asks_for_the_judging_rate(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _edited(0.1), dragging=True)
    process.frame()
    process.scheduler.release()
    assert isinstance(process.last, FrameRequest)
    assert process.last.key.rate == "judging"


def test_a_better_answer_than_asked_for_counts(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _edited(0.1), dragging=True)
    request = process.last
    assert isinstance(request, FrameRequest)
    process.frame(replace(request, key=request.key._replace(rate="judging")))
    process.scheduler.release()
    assert not any(r.key.rate == "judging" for r in process.sent if isinstance(r, FrameRequest))


def test_cached_frames_and_undone_edits_cost_nothing(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _WORLD)
    process.settle()
    process.scheduler.set_target("candidate", _edited(0.9))
    process.settle()
    sent = len(process.sent)
    process.scheduler.set_target("candidate", _WORLD)
    for frame in range(6):
        process.scheduler.set_playhead(frame)
    assert len(process.sent) == sent
    assert process.scheduler.settled


def test_a_frame_request_goes_ahead_of_a_running_clip(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _WORLD)
    process.frame()
    assert isinstance(process.last, ClipRequest)
    process.scheduler.set_playhead(4)
    assert isinstance(process.last, FrameRequest)
    assert process.last.frame == 4


def test_failures_end_and_do_not_loop(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _WORLD)
    for _ in range(6):
        request = process.last
        kind = "frame" if isinstance(request, FrameRequest) else "clip"
        process.scheduler.receive(
            Failed(
                job=request.job, kind=kind, key=request.key, frame=getattr(request, "frame", None),
                error=UserError("the simulation diverged"),
            )
        )  # fmt: skip
        if process.scheduler.settled:
            break
    assert process.scheduler.settled
    assert process.scheduler.error("candidate") is not None
    process.scheduler.set_target("candidate", _edited(0.4))
    assert isinstance(process.last, FrameRequest)
    assert process.scheduler.error("candidate") is None


def test_a_lost_process_gets_its_work_again_but_not_for_ever(process: FakeProcess) -> None:
    process.scheduler.set_target("candidate", _WORLD)
    for _ in range(2):
        assert isinstance(process.last, FrameRequest)
        process.scheduler.receive(WorkerLost(reason="ended by signal 9"))
        assert not process.scheduler.ready
        sent = len(process.sent)
        process.scheduler.receive(WorkerReady(pid=2, seconds=0.1))
    assert len(process.sent) == sent
    assert process.scheduler.error("candidate") is not None


def test_results_stay_few(process: FakeProcess) -> None:
    process.scheduler.set_target("reference", _WORLD)
    for k in range(30):
        process.scheduler.set_target("candidate", _edited(k / 40))
        process.settle()
    assert process.scheduler.motion("reference") is not None
    assert len(process.scheduler.results.motions) <= 10
