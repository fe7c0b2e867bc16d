"""Where clips come from: scenes of the generator, or a table of one's own videos."""

from __future__ import annotations

from pathlib import Path

from fourdcb.errors import UserError
from fourdcb.probes.clips import ClipSource


def source_of(data: Path) -> ClipSource:
    """A folder with generated scenes (``world.py`` beside ``video.mp4``), or a CSV file of one's own videos.

    Raises:
        UserError: it is neither.
    """
    if data.is_dir():
        from fourdcb.probes.sources.generated import GeneratedClips

        return GeneratedClips(data)
    if data.suffix.lower() == ".csv":
        from fourdcb.probes.sources.own_videos import OwnVideos

        return OwnVideos(data)
    raise UserError(
        "this is no set of clips", where=str(data),
        got="no such file or folder" if not data.exists() else f"a {data.suffix or 'file'}",
        expected="a folder of scenes from fourdcb generate, or a CSV file: video, group, labels",
    )  # fmt: skip
