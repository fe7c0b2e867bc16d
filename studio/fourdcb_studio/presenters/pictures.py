"""Where there is a video but no truth script: how far the pictures agree, frame by frame."""

from __future__ import annotations

from fourdcb_studio.bench import Bench
from fourdcb_studio.jobs.picture_series import PICTURE_SERIES, PictureSeries, PictureSeriesRequest
from fourdcb_studio.session.messages import ReplayKey
from fourdcb_studio.session.state import message_of
from fourdcb_studio.views.time.panel import TimePanel
from fourdcb_studio.widgets.no_display import NoDisplay


class Pictures:
    """Has them measured once the judgement is there, in a process of its own, and shows where they part.

    Args:
        bench: whose replay.
        time: where the frame is marked from which the moving areas lie apart.
    """

    def __init__(self, bench: Bench, time: TimePanel) -> None:
        self._session, self._time = bench.session, time
        self._asked: ReplayKey | None = None
        self._runner = bench.jobs.runner(
            PICTURE_SERIES,
            NoDisplay(bench),
            on_done=self._take,
            on_error=lambda error: self._session.tell(message_of(error)),
        )
        for topic in ("scene", "world", "report"):
            self._session.changes.subscribe(topic, self._look)

    def _look(self) -> None:
        session = self._session
        series = session.pictures
        self._time.set_departure(None if series is None else series.departure)
        key, world, video = session.scheduler.judging_key(), session.candidate_world, session.sources.video
        wanted = session.reference is None and video is not None and session.report_is_fresh
        if not wanted:
            if self._runner.is_running and key != self._asked:
                self._runner.cancel()
                self._asked = None
            return
        if series is None and key != self._asked and world is not None:
            self._asked = key
            self._runner.start(PictureSeriesRequest(world=world, video=str(video)))

    def _take(self, series: PictureSeries) -> None:
        if self._asked is not None:
            self._session.take_pictures(self._asked, series)
            self._session.changes.notify("report")
