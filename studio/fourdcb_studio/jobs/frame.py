"""The current frame: drawn now, simulated no further than that, never cancelled."""

from __future__ import annotations

from fourdcb_studio.jobs.board import Board
from fourdcb_studio.jobs.contract import NOTHING, Effect, JobKind, keep_failure
from fourdcb_studio.session.messages import Failed, FrameAnswer, FrameRequest, ReplayKey


def next_frame(board: Board, rested: bool) -> FrameRequest | None:
    """The picture of a role on screen that lacks, or is there in a lesser quality only."""
    for role in board.visible:
        key, frame = board.wanted_key(role), board.frame_of(role)
        if key is None or _is_hopeless(board, key, frame):
            continue
        best = board.best_key(role, frame)
        if best is None or (best.rate == "preview" and key.rate == "judging"):
            return FrameRequest(job=0, role=role, key=key, world=board.targets[role].world, frame=frame)
    return None


def _is_hopeless(board: Board, key: ReplayKey, frame: int) -> bool:
    return (key, frame) in board.results.bad_frames or board.ends_the_process(key)


def _apply(answer: FrameAnswer, board: Board, current: bool) -> Effect:
    board.store.put(str(answer.key), answer.frame, answer.image)
    if current:
        board.answered[answer.role] = answer.key
        board.timings.simulate_ms, board.timings.draw_ms = answer.simulate_ms, answer.draw_ms
    return Effect(topics=("frame",)) if answer.frame == board.frame_of(answer.role) else NOTHING


def _fail(failed: Failed, board: Board) -> Effect:
    if failed.frame is not None:
        board.results.bad_frames.add((failed.key, failed.frame))
    return keep_failure(failed, board)


FRAME = JobKind(
    name="frame",
    request=FrameRequest,
    place="simulation",
    tier="frame",
    wanted=next_frame,
    answers=(FrameAnswer,),
    final=(FrameAnswer,),
    apply=_apply,
    fail=_fail,
)
