"""What an agent's script can make the machine do, done in a guarded process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fourdcb.errors import UserError
from fourdcb.work import Limits
from fourdcb.work.guarded import GuardedWorker

PICTURE_SIDE = 256
TOOL_LIMITS = Limits(seconds=60.0, memory_mb=3072.0)


class GuardedTools:
    """The tools that run a script; one call at a time, each within its time and memory.

    The process is kept for the next call and made anew after one that had to be ended.
    """

    def __init__(self, limits: Limits = TOOL_LIMITS) -> None:
        self._limits = limits
        self._worker: GuardedWorker | None = None
        self._lock = threading.Lock()

    def call(self, tool: str, **arguments: Any) -> Any:
        """What the tool gives.

        Raises:
            UserError: the tool's own complaint, or that it took too long or too much memory.
        """
        with self._lock:
            if self._worker is None or self._worker.is_dead:
                self._close()
                self._worker = GuardedWorker(ToolWork(), self._limits, threads=1)
            outcome = self._worker.finish(tool, {"tool": tool, **arguments})
        if outcome.status != "ok":
            raise UserError(
                f"{tool} was ended: {outcome.error}", hint="a shorter or simpler world takes less"
            )
        good, value = outcome.value
        if not good:
            raise value
        return value

    def close(self) -> None:
        """End the process. A second call does nothing."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None


@dataclass(frozen=True)
class ToolWork:
    """A payload is ``{"tool", …}``; the answer is ``(True, value)``, or ``(False, UserError)``."""

    def open(self) -> Callable[[dict[str, Any]], Any]:
        """The call of one payload."""
        return _called

    def close(self) -> None:
        """Nothing is held."""


def _called(payload: dict[str, Any]) -> tuple[bool, Any]:
    arguments = dict(payload)
    tool = _TOOLS[arguments.pop("tool")]
    try:
        return True, tool(**arguments)
    except UserError as error:
        return False, error


def _check(script: str) -> str:
    from fourdcb.dsl import parse_script, require_objects

    parsed = parse_script(script, filename="answer.py", extract=True)
    require_objects(parsed, filename="answer.py")
    return "\n".join(["valid", *(str(remark) for remark in parsed.diagnostics)])


def _simulate(script: str) -> str:
    from fourdcb.dsl import parse_script, require_objects
    from fourdcb.physics import simulate

    parsed = parse_script(script, filename="answer.py", extract=True)
    require_objects(parsed, filename="answer.py")
    events = simulate(parsed.world).events
    lines = [f"{e.time:.3f} s {e.kind} {' + '.join(e.bodies)} {e.value:.4g}" for e in events]
    return "\n".join(lines) or "nothing touches anything"


def _render(script: str, frame: int) -> bytes:
    from fourdcb.dsl import parse_script
    from fourdcb.physics import simulate
    from fourdcb.render import RasterRenderer, RenderSettings

    world = parse_script(script, filename="answer.py", extract=True).world
    check_frame(frame, world.n_frames)
    height, width = world.camera.height, world.camera.width
    shrink = min(1.0, PICTURE_SIDE / max(height, width))
    settings = RenderSettings(width=max(8, round(width * shrink)), height=max(8, round(height * shrink)))
    trajectory = simulate(world, duration=(frame + 1) / world.fps)
    return png(RasterRenderer(world, settings).render(trajectory, frame / world.fps, aux=False).rgb)


def _apply(script: str, path: str, value: float) -> str:
    from fourdcb.dsl import edit_value

    return edit_value(script, path, value, filename="answer.py").source


_TOOLS: dict[str, Callable[..., Any]] = {
    "check": _check, "simulate": _simulate, "render": _render, "apply": _apply,
}  # fmt: skip


def check_frame(frame: int, count: int) -> None:
    """Raises UserError when a clip of ``count`` frames has no such frame."""
    if not 0 <= frame < count:
        raise UserError("there is no such frame", got=str(frame), expected=f"0 … {count - 1}")


def png(picture: Any) -> bytes:
    """A picture ``(H, W, 3)`` uint8 sRGB as PNG, 256 px at most."""
    import cv2

    height, width = picture.shape[:2]
    shrink = PICTURE_SIDE / max(height, width)
    if shrink < 1.0:
        size = (max(1, round(width * shrink)), max(1, round(height * shrink)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    good, data = cv2.imencode(".png", picture[..., ::-1])
    assert good
    return bytes(data.tobytes())
