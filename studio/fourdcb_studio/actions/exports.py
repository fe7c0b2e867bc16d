"""Pictures and clips of what is on screen: to files and to the clipboard, once nothing is stale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication, QImage

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb.world import World
from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.clip_file import CLIP_FILE
from fourdcb_studio.jobs.progress import JobProgress
from fourdcb_studio.session.messages import Role
from fourdcb_studio.session.state import info, message_of
from fourdcb_studio.theme import tokens
from fourdcb_studio.views.compare.clip_export import ClipExport
from fourdcb_studio.views.compare.look import beside_each_other, picture_of
from fourdcb_studio.workers.job_runner import JobRunner
from fourdcb_studio.workspace import Workspace

_LOOK_MS = 30
Draw = Callable[[], QImage]


class Exports:
    """The actions that write or copy pictures.

    Args:
        bench: whose clip.
        parts: what is pictured.
        picture: draws the whole window.
    """

    def __init__(self, bench: Bench, parts: Workspace, *, picture: Draw) -> None:
        self._bench, self._parts, self._picture = bench, parts, picture
        self._session = bench.session
        self._chip = parts.status.job_chip("export")
        self._jobs = bench.jobs.runner(CLIP_FILE, self._chip, on_done=self._written, on_error=self._failed)
        self._jobs.on_cancel = self._forget_waiting
        self._waiting: Callable[[], None] | None = None
        self._timer = QTimer(bench)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    @property
    def jobs(self) -> JobRunner:
        """What runs the clip's export."""
        return self._jobs

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What each action does."""
        drawn: dict[str, Draw] = {"frame": self.frame, "view": self.view, "image": self._picture}
        handlers: dict[str, Callable[[], object]] = {"export_clip": self.ask_clip}
        for kind, draw in drawn.items():
            handlers[f"export_{kind}"] = lambda kind=kind, draw=draw: self._ask(kind, draw)  # type: ignore[misc]
            copy = "window" if kind == "image" else "image" if kind == "view" else kind
            handlers[f"copy_{copy}"] = lambda draw=draw: self.copy(draw)  # type: ignore[misc]
        return handlers

    # -- pictures ------------------------------------------------------------------------------------
    def frame(self) -> QImage:
        """The pictures that the mode shows, at their own pixels, in a row. Raises UserError without any."""
        images = self._parts.images.shown_images()
        if not images:
            raise UserError(tr("there is no picture to take"), hint=tr("open a video or a script"))
        return beside_each_other(images)

    def view(self) -> QImage:
        """What stands in the middle of the window; the images without margins and without messages."""
        parts = self._parts
        page = parts.middle.currentWidget()
        if page is not None and page is not parts.images:
            return page.grab().toImage()
        return picture_of(parts.images, parts.images.cell_rects(), parts.images.devicePixelRatioF())

    def copy(self, draw: Draw) -> None:
        """Put a picture on the clipboard once nothing is stale."""
        self.when_settled(lambda: self._copied(draw()))

    def _copied(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        self._session.tell(info("copied", width=image.width(), height=image.height()))

    def _ask(self, kind: str, draw: Draw) -> None:
        title = {
            "frame": tr("Save the frame"),
            "view": tr("Save images"),
            "image": tr("Save picture of the window"),
        }
        start = f"{kind if kind != 'image' else 'studio'}_{self._session.clock.frame:04d}.png"
        path = self._bench.dialogs.new_file(title[kind], start, tr("Pictures (*.png)"))
        if path is not None:
            self.save(draw, path)

    def save(self, draw: Draw, path: Path) -> None:
        """Write a picture as PNG once nothing is stale."""
        path = path if path.suffix else path.with_suffix(".png")
        self.when_settled(lambda: self._saved(draw(), path))

    def _saved(self, image: QImage, path: Path) -> None:
        if not image.save(str(path)):
            raise UserError(tr("cannot write the picture"), where=str(path))
        self._session.tell(info("wrote", names=path.name, folder=path.parent))

    # -- clips ---------------------------------------------------------------------------------------
    def ask_clip(self) -> None:
        """Ask where to write the clip."""
        start = f"{self._session.sources.title or 'clip'}.mp4".replace(" ↔ ", "_")
        kinds = tr("Videos (*.mp4 *.mov *.mkv *.webm)")
        path = self._bench.dialogs.new_file(tr("Export clip of the images"), start, kinds)
        if path is not None:
            self.write_clip(path)

    def write_clip(self, path: Path) -> None:
        """Write the clip, or its loop range, as the images are compared; once nothing is stale."""
        path = path if path.suffix else path.with_suffix(".mp4")
        self.when_settled(lambda: self._start_clip(path))

    def _start_clip(self, path: Path) -> None:
        request = self._clip_request(path)
        count = request.last - request.first + 1
        self._jobs.start(
            request,
            text=tr("writing {name}", name=path.name),
            words=lambda told: _clip_words(told, path.name, count),
        )

    def _clip_request(self, path: Path) -> ClipExport:
        session, images = self._session, self._parts.images
        clock, state = session.clock, session.comparison.state
        first, last = clock.loop_range
        videos: dict[Role, str] = {}
        roles: tuple[tuple[Role, Path | None], ...] = (
            ("reference", session.sources.video), ("candidate", session.sources.second_video)
        )  # fmt: skip
        for role, video in roles:
            if video is not None:
                videos[role] = str(video)
        worlds = {role: world for role, world in self._worlds().items() if world is not None}
        if not videos and not worlds:
            raise UserError(tr("there is nothing to write"), hint=tr("open a video or a script"))
        return ClipExport(
            output=str(path),
            n_frames=clock.n_frames,
            fps=clock.fps,
            times=clock.times,
            first=first,
            last=last,
            worlds=worlds,
            videos=videos,
            offset=state.offset,
            look=images.look(),
            width=images.width(),
            height=images.height(),
            ratio=images.devicePixelRatioF(),
            theme=tokens().name,
            outlines=state.outlines,
        )

    def _worlds(self) -> dict[Role, World | None]:
        session = self._session
        shows_before = self._bench.view.shows_before
        return {
            "reference": session.reference,
            "candidate": session.candidate_world,
            "before": session.before_world() if shows_before else None,
        }

    def _written(self, path: object) -> None:
        written = Path(str(path))
        self._session.tell(info("wrote", names=written.name, folder=written.parent))

    def _failed(self, error: UserError) -> None:
        self._session.tell(message_of(error))

    # -- waiting -------------------------------------------------------------------------------------
    def when_settled(self, act: Callable[[], None]) -> None:
        """Act once nothing that is shown is stale: at once, or as soon as the last piece is there."""
        if self._session.settled:
            self._do(act)
            return
        self._waiting = act
        self._chip.show_job(tr("waiting until the picture is up to date"))
        self._timer.start()

    def close(self) -> None:
        """The window closes."""
        self._timer.stop()

    def _look(self) -> None:
        if self._waiting is not None and self._session.settled:
            act = self._waiting
            self._forget_waiting()
            self._chip.clear()
            self._do(act)

    def _forget_waiting(self) -> None:
        self._waiting = None
        self._timer.stop()

    def _do(self, act: Callable[[], None]) -> None:
        self._bench.flush()
        try:
            act()
        except UserError as error:
            self._failed(error)


def _clip_words(told: JobProgress, name: str, count: int) -> str:
    if told.label != "writing":
        return tr("writing {name}: {label}", name=name, label=told.label)
    return tr("writing {name}: {done} of {count} frames", name=name, done=told.done, count=count)
