"""Pictures that are drawn beside other work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from fourdcb.progress import Cancelled
from fourdcb.render import RasterRenderer, on_one_thread
from fourdcb.replay.frames import IncomingFrames
from fourdcb.replay.player import Replay


@contextmanager
def drawn_meanwhile(played: Replay) -> Iterator[Replay]:
    """The replay with pictures that a thread draws while the block runs, in order.

    The block may look at them at once; when it ends by an error the drawing ends, too.

    Raises:
        UserError: from any access, when the renderer cannot draw the world.
    """
    settings = played.settings
    camera = settings.camera(played.world.camera)
    times = played.world.frame_times()
    frames = IncomingFrames(len(times), height=camera.height, width=camera.width)
    given_up = threading.Event()

    def draw() -> None:
        try:
            with on_one_thread():
                renderer = RasterRenderer(played.world, settings)
                for k, t in enumerate(times):
                    if given_up.is_set():
                        frames.fail(Cancelled("nobody waits for the pictures any more"))
                        return
                    frames.put(k, renderer.render(played.trajectory, float(t), aux=False).rgb)
        except BaseException as error:  # noqa: BLE001 - raised again where a frame is waited for
            frames.fail(error)

    thread = threading.Thread(target=draw, name="fourdcb-drawing", daemon=True)
    thread.start()
    try:
        yield replace(played, frames=frames)
    except BaseException:
        given_up.set()
        raise
    finally:
        thread.join()
