"""The planner is a pure function: the same state gives the same request, and asking changes nothing."""

from __future__ import annotations

import copy

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fourdcb.world import Object, World, with_value
from fourdcb_studio.jobs import planner
from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.registry import KINDS, Registry
from fourdcb_studio.jobs.results import Target
from fourdcb_studio.session.frame_store import FrameStore
from fourdcb_studio.session.messages import ROLES, ReplayKey

_CUP = Object(name="cup", pos=(0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8))
_WORLD = World(
    duration=0.2,
    fps=30.0,
    objects=(Object(name="cup", pos=(0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0), acc=(0.0, 0.0, -9.8)),),
)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    board = Board(FrameStore())
    board.clip_frames = 6
    roles = draw(st.sets(st.sampled_from(ROLES)))
    for role in roles:
        value = draw(st.sampled_from((0.1, 0.2)))
        board.targets[role] = Target(with_value(_WORLD, "cup.restitution", value), f"world-{value}")
    board.visible = tuple(draw(st.permutations(ROLES)))[: draw(st.integers(1, 3))]
    board.playhead, board.offset = draw(st.integers(0, 5)), draw(st.integers(-7, 7))
    board.dragging, board.prefetch = draw(st.booleans()), draw(st.booleans())
    board.video = draw(st.sampled_from((None, "video.mp4")))
    board.probes.want(draw(st.sampled_from(((), ("candidate",), ("reference", "candidate")))))
    board.strips.want(draw(st.sampled_from(((), ("cup.restitution",)))))
    for key in (ReplayKey(f"world-{v}", rate) for v in (0.1, 0.2) for rate in ("preview", "judging")):  # type: ignore[arg-type]
        for frame in draw(st.sets(st.integers(0, 5))):
            board.store.put(str(key), frame, np.zeros((2, 2, 3), np.uint8))
        if draw(st.booleans()):
            board.results.clips[key] = True
    return board


@settings(max_examples=60, deadline=None)
@given(board=boards(), rested=st.booleans())
def test_the_same_state_gives_the_same_request_and_is_left_alone(board: Board, rested: bool) -> None:
    before = copy.deepcopy({k: v for k, v in vars(board).items() if k != "store"})
    kept = {str(key): board.store.frames(str(key)) for key in before["results"].clips}
    for ask in (planner.next_work, planner.next_background):
        first = ask(KINDS, board, rested=rested)
        assert first == ask(KINDS, board, rested=rested)
        assert first is None or first.job == 0  # numbered when it is sent, not when it is thought of
    assert planner.next_frame(KINDS, board) == planner.next_frame(KINDS, board)
    after = vars(board)
    for name in ("targets", "visible", "asked", "answered", "crashes", "playhead"):
        assert after[name] == before[name]
    assert after["results"].clips == before["results"].clips
    assert kept == {key: board.store.frames(key) for key in kept}


@settings(max_examples=60, deadline=None)
@given(board=boards())
def test_nothing_idle_and_no_picture_but_the_current_is_wanted_in_a_drag(board: Board) -> None:
    board.dragging = True
    registry = Registry()
    wanted = planner.next_background(KINDS, board, rested=True)
    if wanted is not None:
        assert registry.of_request(wanted).name == "clip"
        assert not wanted.draw
    assert planner.next_background(KINDS, board, rested=False) is None


@settings(max_examples=60, deadline=None)
@given(board=boards())
def test_a_picture_that_is_there_at_the_judging_rate_is_never_asked_for(board: Board) -> None:
    frame = planner.next_frame(KINDS, board)
    if frame is not None:
        assert not board.store.has(str(frame.key._replace(rate="judging")), frame.frame)
        assert frame.frame == board.frame_of(frame.role)
        assert frame.key == board.wanted_key(frame.role)
