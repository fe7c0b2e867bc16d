"""One's own videos: a CSV file says which they are, what they must stay together with, and what they show."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from fourdcb.errors import UserError
from fourdcb.probes.clips import Clip, Target
from fourdcb.probes.windows import Window

_HELP = "columns video, group, and labels; key_… for what videos share, meta_… for what is known"


class OwnVideos:
    """A table of videos.

    ``video`` is a path beside the table, ``group`` what a video must stay together with (source, scene,
    person, day). ``key_NAME`` columns hold further things that videos may share, ``meta_NAME`` columns what
    is known without looking. Every other column is a target; an empty cell there leaves the video out of it.

    Args:
        path: the CSV file, UTF-8, with a head.

    Raises:
        UserError: for whatever is wrong in it, by line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        rows = _rows(path)
        names = [name for name in rows[0][1] if name not in ("video", "group")]
        self._labels = [name for name in names if not name.startswith(("key_", "meta_"))]
        if not self._labels:
            raise UserError(
                "the table has no labels", where=f"{path}:1", got=", ".join(rows[0][1]), expected=_HELP,
                hint="add a column, say `action`, with the class of every video",
            )  # fmt: skip
        self._clips: list[Clip] = []
        for line, row in rows:
            clip = self._clip(f"{path}:{line}", row)
            if any(clip.id == other.id for other in self._clips):
                raise UserError("a video stands twice in the table", where=f"{path}:{line}", got=clip.id)
            self._clips.append(clip)
        for name in self._labels:
            if not any(row[name] for _, row in rows):
                raise UserError(
                    "a label column is empty", where=str(path), got=name,
                    hint="fill in the class of every video, or remove the column",
                )  # fmt: skip

    def _clip(self, where: str, row: Mapping[str, str]) -> Clip:
        if not row["video"] or not row["group"]:
            raise UserError(
                "a video lacks its path or its group", where=where, got=str(dict(row)), expected=_HELP,
                hint="videos that belong to nothing else are groups of their own: repeat the file's name",
            )  # fmt: skip
        video = self._path.parent / row["video"]
        if not video.is_file():
            raise UserError(
                "a video is missing", where=where, got=str(video), hint="paths are relative to the table"
            )
        keys = {f"{name}:{row[name]}" for name in row if name.startswith("key_") and row[name]}
        metadata: dict[str, float | str] = {
            name: _number(row[name], where=f"{where}, {name}") for name in row if name.startswith("meta_")
        }
        metadata["bytes"] = float(video.stat().st_size)
        return Clip(
            id=row["video"], video=video, group=row["group"], keys=frozenset(keys), metadata=metadata,
            stated={name: row[name] for name in self._labels},
        )  # fmt: skip

    @property
    def targets(self) -> tuple[Target, ...]:
        """One for each label column."""
        return tuple(Target(name=name, meaning=f"column {name}") for name in self._labels)

    def clips(self) -> tuple[Clip, ...]:
        """The videos in the table's order."""
        return tuple(self._clips)

    def labels(self, clip: Clip, windows: Sequence[Window]) -> Mapping[str, Sequence[str | None]]:
        """A video's labels hold for all of its windows."""
        return {name: [value or None] * len(windows) for name, value in clip.stated.items()}

    def files(self, clip: Clip) -> tuple[Path, ...]:
        """None: what the table states is in the clip."""
        return ()


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError("the table cannot be read", where=str(path), got=error.strerror) from error
    except UnicodeDecodeError as error:
        raise UserError("the table is not UTF-8 text", where=str(path)) from error
    reader = csv.reader(io.StringIO(text))
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise UserError(
            "the table is not CSV", where=f"{path}:{reader.line_num}", got=str(error), expected=_HELP
        ) from error
    head = [name.strip() for name in lines[0][1]] if lines else []
    if "video" not in head or "group" not in head or len(set(head)) < len(head) or "" in head:
        raise UserError(
            "the table's head is another one", where=f"{path}:1", got=", ".join(head) or "nothing",
            expected=f"{_HELP}; each name once, separated by commas",
            hint="without groups nobody can tell whether train and test share a scene",
        )  # fmt: skip
    rows = []
    for line, cells in lines[1:]:
        if len(cells) != len(head):
            raise UserError(
                "a line has another number of columns", where=f"{path}:{line}",
                got=str(len(cells)), expected=f"{len(head)}: {', '.join(head)}",
                hint="quote cells that hold commas",
            )  # fmt: skip
        values = (value.strip() for value in cells)
        rows.append((line, dict(zip(head, values, strict=True))))
    if not rows:
        raise UserError("the table holds no videos", where=str(path), expected=_HELP)
    return rows


def _number(text: str, *, where: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        raise UserError(
            "metadata must be a number or a word", where=where, got=text,
            hint="leave the cell empty where nothing is known",
        )  # fmt: skip
    return value
