"""The simulation process: exact pictures, priorities, cancellation, death and restart."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from fourdcb.dsl import load_script
from fourdcb.errors import SimulationDivergedError, UserError
from fourdcb.identity import content_hash
from fourdcb.physics import judging_rate, preview_rate, simulate
from fourdcb.render import RasterRenderer, RenderSettings
from fourdcb.replay import ReplayCache, finished, rollouts
from fourdcb.replay.cache import PREVIEW_SUPERSAMPLE
from fourdcb.video import write_video
from fourdcb.world import World, with_value
from fourdcb.world.parts import WorldPart, part_of
from fourdcb_studio.session.messages import (
    Answer,
    CancelRequest,
    ClipAnswer,
    ClipRequest,
    Failed,
    FrameAnswer,
    FrameRequest,
    JudgeAnswer,
    JudgeRequest,
    MotionAnswer,
    Rate,
    ReplayKey,
    WorkerLost,
    WorkerReady,
)
from fourdcb_studio.workers import judging as judging_module
from fourdcb_studio.workers.judging import Judge
from fourdcb_studio.workers.simulation import outwards
from fourdcb_studio.workers.transport import SimulationProcess


@pytest.fixture
def world(scene_folder) -> World:
    return load_script(scene_folder.script).world


def _name(world: World) -> str:
    return content_hash(world)[:12]


def _frame(world: World, frame: int, *, rate: Rate = "preview", job: int = 1) -> FrameRequest:
    return FrameRequest(
        job=job, role="candidate", key=ReplayKey(_name(world), rate), world=world, frame=frame
    )


# -- replays ---------------------------------------------------------------------------------------------
def test_a_world_that_diverges_says_so_each_time_it_is_asked_for(world: World, replays: ReplayCache) -> None:
    wild = with_value(world, "ball.acc[2]", 9.8e12)  # upwards: no floor is in its way
    for _ in range(2):
        with pytest.raises(SimulationDivergedError):
            finished(replays.whole(wild, "judging"))
        with pytest.raises(SimulationDivergedError):
            replays.draw(wild, "judging", 5)
    assert len(finished(replays.whole(world, "judging")).times) > 1


def test_frames_equal_those_of_a_fresh_simulation_and_renderer(world: World, replays: ReplayCache) -> None:
    edits = [
        ("ball.restitution", 0.9), ("ball.friction", 0.1), ("ball.pos[2]", 0.5), ("ball.roughness", 0.2),
        ("sun.intensity", 1.5), ("world.exposure", 1.4), ("sun.direction[0]", 0.3), ("floor.offset", -0.05),
    ]  # fmt: skip
    for path, value in edits:
        world = with_value(world, path, value)
        image = replays.draw(world, "preview", 11).image
        trajectory = simulate(world, rate_hz=preview_rate(world.fps))
        fresh = RasterRenderer(world, RenderSettings(supersample=PREVIEW_SUPERSAMPLE))
        expected = fresh.render(trajectory, 11 / world.fps, aux=False).rgb
        np.testing.assert_array_equal(image, expected, err_msg=path)


def test_whole_rollouts_equal_one_go_even_when_another_world_comes_between(
    world: World, replays: ReplayCache
) -> None:
    other = with_value(world, "ball.restitution", 0.9)
    work, trajectory = replays.whole(world, "judging"), None
    while trajectory is None:
        try:
            next(work)
            replays.draw(other, "preview", 3)
        except StopIteration as end:
            trajectory = end.value
    expected = simulate(world, rate_hz=judging_rate(world.fps))
    np.testing.assert_array_equal(trajectory.position, expected.position)


def test_another_world_after_the_last_slice_takes_nothing_away(
    world: World, replays: ReplayCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourdcb.replay.rollouts._SLICE", 1e-9)  # one frame a slice
    other = with_value(world, "ball.restitution", 0.9)
    work, slices = replays.whole(world, "judging"), 0
    while True:
        try:
            next(work)
        except StopIteration as end:
            trajectory = end.value
            break
        slices += 1
        replays.draw(other, "preview", 3)
    assert slices >= world.n_frames - 1
    expected = simulate(world, rate_hz=judging_rate(world.fps))
    np.testing.assert_array_equal(trajectory.position, expected.position)


def physics_part(world: World) -> WorldPart:
    return part_of(world, "rollout", engine="any 1")


def looks_part(world: World) -> WorldPart:
    return part_of(world, "looks")


def test_looks_do_not_change_the_physics_part_nor_motion_the_looks(world: World) -> None:
    for path, value in (("ball.roughness", 0.9), ("sun.direction[1]", -0.4), ("camera.pos[0]", 0.4)):
        assert physics_part(with_value(world, path, value)) == physics_part(world)
    for path, value in (("ball.mass", 2.0), ("ball.vel[0]", 1.0), ("floor.restitution", 0.4)):
        assert looks_part(with_value(world, path, value)) == looks_part(world)
    assert physics_part(with_value(world, "ball.size[0]", 0.3)) != physics_part(world)
    assert looks_part(with_value(world, "ball.size[0]", 0.3)) != looks_part(world)


def test_outwards_names_every_frame_once_nearest_first() -> None:
    order = list(outwards(3, 6))
    assert sorted(order) == list(range(6))
    assert order[0] == 3
    assert [abs(k - 3) for k in order] == sorted(abs(k - 3) for k in order)


# -- the process -----------------------------------------------------------------------------------------
class Inbox:
    """Collects answers of a real process."""

    def __init__(self) -> None:
        self._arrived = threading.Event()
        self.process = SimulationProcess()
        self.process.set_wake(self._arrived.set)
        self.answers: list[Answer] = []

    def until(self, wanted: Callable[[Answer], bool], *, timeout: float = 60.0) -> Answer:
        deadline = time.monotonic() + timeout
        checked = 0
        while True:
            self.answers += self.process.take()
            for answer in self.answers[checked:]:
                checked += 1
                if wanted(answer):
                    return answer
            if time.monotonic() > deadline:
                raise AssertionError(f"no such answer among {[type(a).__name__ for a in self.answers]}")
            self._arrived.wait(0.2)
            self._arrived.clear()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    made = Inbox()
    made.process.start()
    made.until(lambda a: isinstance(a, WorkerReady))
    yield made
    made.process.close()


def test_frames_clip_and_judgement_come_back(inbox: Inbox, world: World, scene_folder) -> None:
    key = ReplayKey(_name(world), "judging")
    inbox.process.send(_frame(world, 5, rate="judging", job=1))
    frame = inbox.until(lambda a: isinstance(a, FrameAnswer))
    assert isinstance(frame, FrameAnswer)
    assert frame.image.shape == (64, 64, 3)
    inbox.process.send(
        ClipRequest(job=2, role="candidate", key=key, world=world, around=5, draw=True, have=(5,))
    )
    inbox.until(lambda a: isinstance(a, ClipAnswer) and a.job == 2)
    drawn = [a.frame for a in inbox.answers if isinstance(a, FrameAnswer) and a.job == 2]
    assert sorted(drawn) == [k for k in range(24) if k != 5]
    motion = next(a.motion for a in inbox.answers if isinstance(a, MotionAnswer))
    assert motion.position.shape == (24, 2, 3)
    reference = load_script(scene_folder.folder / "world.py").world
    inbox.process.send(
        JudgeRequest(job=3, key=key, world=world, reference=reference, video=str(scene_folder.video))
    )
    judged = inbox.until(lambda a: isinstance(a, JudgeAnswer | Failed))
    assert isinstance(judged, JudgeAnswer), judged
    assert judged.report.verdict == "DEPLOYMENT_NOT_RECOMMENDED"


def test_a_judgement_beside_the_clip_is_the_usual_one(inbox: Inbox, world: World, scene_folder) -> None:
    reference, key = load_script(scene_folder.folder / "world.py").world, ReplayKey(_name(world), "judging")
    asked = JudgeRequest(job=3, key=key, world=world, reference=reference, video=str(scene_folder.video))
    clip = ClipRequest(
        job=2, role="candidate", key=key, world=world, around=5, draw=True, have=(5,), judged=asked
    )
    reports = []
    for beside in (clip, None):
        if beside is not None:
            inbox.process.send(beside)
            inbox.until(lambda a: isinstance(a, ClipAnswer) and a.job == 2)
        inbox.process.send(replace(asked, job=10 + len(reports)))
        found = inbox.until(lambda a: isinstance(a, JudgeAnswer | Failed) and a.job == 10 + len(reports))
        assert isinstance(found, JudgeAnswer), found
        reports.append(replace(found.report, environment={}, inputs={}))
    drawn = [a.frame for a in inbox.answers if isinstance(a, FrameAnswer)]
    assert sorted(drawn) == [k for k in range(24) if k != 5]
    for report in reports:  # the renderer's rate is never measured twice alike
        report.axes["time"].metrics["replay_fps"] = None  # type: ignore[index, assignment]
    assert reports[0] == reports[1]


def test_a_cancelled_clip_takes_its_judgement_along(inbox: Inbox, world: World, scene_folder) -> None:
    reference, long = load_script(scene_folder.folder / "world.py").world, replace(world, duration=6.0)
    key = ReplayKey(_name(long), "judging")
    asked = JudgeRequest(job=3, key=key, world=long, reference=replace(reference, duration=6.0), video=None)
    inbox.process.send(
        ClipRequest(job=2, role="candidate", key=key, world=long, around=0, draw=True, judged=asked)
    )
    inbox.until(lambda a: isinstance(a, FrameAnswer) and a.job == 2)
    inbox.process.send(CancelRequest(job=2))
    inbox.process.send(replace(asked, job=4, fast=True))  # another judgement, of the same worlds
    found = inbox.until(lambda a: isinstance(a, JudgeAnswer | Failed))
    assert isinstance(found, JudgeAnswer), found
    assert found.job == 4
    assert not any(isinstance(a, ClipAnswer) for a in inbox.answers)


def test_a_frame_overtakes_a_clip_and_a_cancelled_clip_ends(inbox: Inbox, world: World) -> None:
    long = replace(world, duration=6.0)
    key = ReplayKey(_name(long), "judging")
    inbox.process.send(ClipRequest(job=7, role="candidate", key=key, world=long, around=0, draw=True))
    inbox.process.send(_frame(world, 3, job=8))
    inbox.until(lambda a: isinstance(a, FrameAnswer) and a.job == 8)
    assert not any(isinstance(a, ClipAnswer) for a in inbox.answers)
    inbox.process.send(CancelRequest(job=7))
    inbox.process.send(_frame(world, 4, job=9))
    inbox.until(lambda a: isinstance(a, FrameAnswer) and a.job == 9)
    inbox.process.send(_frame(world, 5, job=10))
    inbox.until(lambda a: isinstance(a, FrameAnswer) and a.job == 10)
    order = [(type(a).__name__, getattr(a, "job", None)) for a in inbox.answers]
    assert ("FrameAnswer", 7) not in order[order.index(("FrameAnswer", 9)) :]


def test_errors_cross_as_user_errors_with_their_words(inbox: Inbox, world: World) -> None:
    broken = replace(world, objects=(replace(world.objects[0], geometry="mesh", mesh="missing.obj"),))
    inbox.process.send(_frame(broken, 0, job=4))
    failed = inbox.until(lambda a: isinstance(a, Failed))
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, UserError)
    assert "missing.obj" in str(failed.error)
    inbox.process.send(_frame(world, 0, job=5))
    assert isinstance(inbox.until(lambda a: isinstance(a, FrameAnswer)), FrameAnswer)


def test_a_process_that_never_gets_ready_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived, process = threading.Event(), SimulationProcess()
    process.set_wake(arrived.set)
    started: list[int] = []
    monkeypatch.setattr(process, "start", lambda: started.append(len(started)))
    assert [process.restart() for _ in range(5)] == [True, True, True, False, False]
    assert len(started) == 3


def test_kill_is_told_and_a_fresh_process_works(inbox: Inbox, world: World) -> None:
    pid = inbox.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    lost = inbox.until(lambda a: isinstance(a, WorkerLost))
    assert isinstance(lost, WorkerLost)
    assert "9" in lost.reason
    inbox.process.send(_frame(world, 0, job=5))  # into the void, without an exception
    inbox.process.restart()
    inbox.until(lambda a: isinstance(a, WorkerReady) and a.pid != pid)
    inbox.process.send(_frame(world, 1, job=6))
    inbox.until(lambda a: isinstance(a, FrameAnswer) and a.job == 6)


def test_closing_in_the_middle_of_work_is_quick(inbox: Inbox, world: World) -> None:
    long = replace(world, duration=60.0)
    key = ReplayKey(_name(long), "judging")
    inbox.process.send(ClipRequest(job=1, role="candidate", key=key, world=long, around=0, draw=True))
    inbox.process.close()
    assert inbox.process.pid is None
    assert not any(t.name == "simulation-reader" for t in threading.enumerate())


def _drawn_anew(replays: ReplayCache, world: World) -> bool:
    trajectory = finished(replays.whole(world, "judging"))
    return replays.picture(world, trajectory, 3) is not replays.picture(world, trajectory, 3)


def test_pictures_of_large_clips_are_not_kept(world: World, replays: ReplayCache, monkeypatch) -> None:
    assert replays.keeps(world)
    assert not _drawn_anew(replays, world)
    monkeypatch.setattr(replays, "kept_bytes", 24 * 64 * 64 * 3 - 1)
    assert not replays.keeps(world)
    assert _drawn_anew(replays, world)


def test_a_large_clip_is_judged_like_a_small_one(world: World, scene_folder, replays, monkeypatch) -> None:
    reference = load_script(scene_folder.folder / "world.py").world
    request = JudgeRequest(
        job=1, key=ReplayKey(_name(world), "judging"), world=world, reference=reference,
        video=str(scene_folder.video),
    )  # fmt: skip
    small = finished(Judge(replays).work(request)).report
    monkeypatch.setattr(replays, "kept_bytes", 1000)
    judging_module._decoded.cache_clear()
    large = finished(Judge(replays).work(request)).report
    judging_module._decoded.cache_clear()
    assert (large.verdict, large.findings, large.image) == (small.verdict, small.findings, small.image)


def test_long_motions_are_few(world: World, replays: ReplayCache, monkeypatch) -> None:
    monkeypatch.setattr(rollouts, "_MOTION_BYTES", 1)
    for mass in range(1, 7):
        finished(replays.whole(with_value(world, "ball.mass", float(mass)), "preview"))
    assert len(replays.rollouts) == 3


def test_a_video_that_was_written_anew_is_read_anew(world: World, scene_folder) -> None:
    video = scene_folder.video
    before = judging_module.clip_of(str(video), world, kept_bytes=2**20)
    assert judging_module.clip_of(str(video), replace(world, exposure=2.0), kept_bytes=2**20) is before
    write_video(video, iter(np.full((24, 64, 64, 3), 200, np.uint8)), fps=24)
    after = judging_module.clip_of(str(video), world, kept_bytes=2**20)
    assert before is not None
    assert after is not None
    assert abs(float(after.frames[3].mean()) - 200.0) < 5.0
