"""The table of samples: one line a window, with group, keys, labels and metadata; kept clip by clip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import U8
from fourdcb.errors import UserError
from fourdcb.identity import content_hash, file_sha256, jsonable
from fourdcb.probes.clips import Clip, ClipSource, Target
from fourdcb.probes.duplicates import near_duplicates
from fourdcb.probes.splits import linked_groups
from fourdcb.probes.windows import Window, WindowSettings, square, windows_of
from fourdcb.progress import NullProgress, Progress
from fourdcb.work.journal import Journal, read_journal

TABLE = "samples.jsonl"
_FORMAT, _VERSION = "fourdcb.probe-samples", 1
_THUMBS, _SIDE = 8, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One window of one clip, and all that is known of it.

    Attributes:
        id: ``CLIP#NUMBER``.
        clip: id of its clip.
        video: file of the clip, and its SHA-256.
        group, keys, metadata: the clip's.
        window: which frames.
        fps: of the clip [1/s].
        labels: class by target, None where the question makes no sense.
        thumbnails: eight tiny pictures of the clip, RGB, shape (8, 24, 24, 3).
    """

    id: str
    clip: str
    video: Path
    video_sha256: str
    group: str
    keys: frozenset[str]
    metadata: Mapping[str, float | str]
    window: Window
    fps: float
    labels: Mapping[str, str | None]
    thumbnails: U8


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTable:
    """All samples of a work folder, in a fixed order.

    Attributes:
        settings: of the windows.
        targets: what may be asked.
        samples: one a window.
        joined: group of every sample after all that share a group, a key, a file or nearly all pixels are
            joined, over any number of others.
        tied: pairs of clips that were joined for their pixels alone.
    """

    settings: WindowSettings
    targets: tuple[Target, ...]
    samples: tuple[Sample, ...]
    joined: tuple[str, ...]
    tied: int

    @classmethod
    def of(
        cls, settings: WindowSettings, targets: Sequence[Target], samples: Sequence[Sample]
    ) -> SampleTable:
        """The table of some samples; what belongs together is found out here."""
        joined, tied = _joined(samples)
        return cls(
            settings=settings, targets=tuple(targets), samples=tuple(samples), joined=joined, tied=tied
        )

    def target(self, name: str) -> Target:
        """The target of that name. Raises UserError for an unknown one."""
        for target in self.targets:
            if target.name == name:
                return target
        raise UserError(
            "there is no such label", got=name, expected=", ".join(target.name for target in self.targets)
        )


def collect(
    source: ClipSource, settings: WindowSettings, work: Path, *, progress: Progress | None = None
) -> SampleTable:
    """Look at every clip once and keep what was seen; a second call reads it.

    Raises:
        UserError: a clip cannot be used, or the folder holds another table.
    """
    told = progress or NullProgress()
    clips = source.clips()
    head = {
        "format": _FORMAT, "version": _VERSION, "settings": jsonable(settings),
        "targets": jsonable(source.targets), "clips": [clip.id for clip in clips],
    }  # fmt: skip
    told.start("clips", len(clips))
    with Journal(work / TABLE) as journal:
        kept = list(journal.records)
        if kept and kept[0] != head:
            raise UserError(
                "the folder holds samples of other clips or windows", where=str(work / TABLE),
                hint="use the same --data and window settings, or another folder",
            )  # fmt: skip
        if not kept:
            journal.append([head])
            kept = [head]
        for number, clip in enumerate(clips):
            state = _state(source, clip)
            if number + 1 < len(kept):
                if kept[number + 1]["state"] != state:
                    raise UserError(
                        "a clip is not what it was when its features were extracted", where=clip.id,
                        hint="extract into another folder",
                    )  # fmt: skip
            else:
                journal.append([_record(source, clip, settings, state)])
            told.advance()
    return load_samples(work)


def _state(source: ClipSource, clip: Clip) -> str:
    """Hash of everything a record follows from, the pictures included."""
    files = [file_sha256(path) if path.is_file() else "" for path in (clip.video, *source.files(clip))]
    return content_hash([clip.id, clip.group, sorted(clip.keys), dict(clip.metadata), clip.stated, files])


def _record(source: ClipSource, clip: Clip, settings: WindowSettings, state: str) -> dict[str, Any]:
    from fourdcb.video import VideoReader

    with VideoReader(clip.video) as reader:
        windows = windows_of(reader.info.times, settings, name=clip.id)
        fps, count = float(reader.info.fps), reader.info.n_frames
        picked = np.linspace(0, count - 1, _THUMBS).round().astype(int).tolist()
        thumbs = np.stack([square(reader.frame(k), _SIDE) for k in picked])
        known: dict[str, float | str] = {"frames": float(count), "fps": fps, **clip.metadata}
    labels = source.labels(clip, windows)
    return {
        "state": state, "clip": clip.id, "video": str(clip.video.resolve()),
        "sha256": file_sha256(clip.video), "group": clip.group, "keys": sorted(clip.keys),
        "metadata": known, "fps": fps, "windows": jsonable(windows),
        "labels": {name: list(values) for name, values in labels.items()},
        "thumbnails": thumbs.tobytes().hex(),
    }  # fmt: skip


def load_samples(work: Path) -> SampleTable:
    """The table of a work folder.

    Raises:
        UserError: there is none, or it is not whole.
    """
    head, *records = read_journal(work / TABLE).records or ({},)
    if head.get("format") != _FORMAT or head.get("version") != _VERSION:
        raise UserError("there are no samples here", where=str(work), hint="make them: fourdcb probe extract")
    if len(records) != len(head["clips"]):
        raise UserError(
            "the extraction was not finished", where=str(work),
            got=f"{len(records)} of {len(head['clips'])} clips",
            hint="run the same fourdcb probe extract again; it goes on where it stopped",
        )  # fmt: skip
    samples = tuple(sample for record in records for sample in _samples(record))
    targets = tuple(Target(**target) for target in head["targets"])
    return SampleTable.of(WindowSettings(**head["settings"]), targets, samples)


def _joined(samples: Sequence[Sample]) -> tuple[tuple[str, ...], int]:
    """(joined group of every sample, pairs that pixels tied)."""
    keys = [{f"file:{sample.video_sha256}", f"clip:{sample.clip}", *sample.keys} for sample in samples]
    first = {sample.clip: i for i, sample in reversed(list(enumerate(samples)))}
    clips = sorted(first.values())
    pairs = near_duplicates([samples[i].thumbnails for i in clips])
    for a, b, _ in pairs:
        for row in (clips[a], clips[b]):
            keys[row].add(f"near:{a}/{b}")
    groups = linked_groups([sample.group for sample in samples], [frozenset(own) for own in keys])
    return tuple(groups), len(pairs)


def _samples(record: Mapping[str, Any]) -> Sequence[Sample]:
    thumbs = np.frombuffer(bytes.fromhex(record["thumbnails"]), np.uint8)
    shaped = thumbs.reshape(_THUMBS, _SIDE, _SIDE, 3)
    return [
        Sample(
            id=f"{record['clip']}#{k}", clip=record["clip"], video=Path(record["video"]),
            video_sha256=record["sha256"], group=record["group"], keys=frozenset(record["keys"]),
            metadata=record["metadata"], fps=record["fps"], thumbnails=shaped,
            window=Window(start=window["start"], frames=tuple(window["frames"])),
            labels={name: values[k] for name, values in record["labels"].items()},
        )
        for k, window in enumerate(record["windows"])
    ]  # fmt: skip
