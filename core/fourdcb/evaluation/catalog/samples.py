"""The samples of a benchmark: folders that hold a video and, where it is known, the truth."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest
from fourdcb.evaluation.catalog.benchmarks import REPLAY_TASK, CatalogBenchmark
from fourdcb.evaluation.runs.folder import read_json
from fourdcb.evaluation.runs.plan import PlannedSample
from fourdcb.identity import canonical_json, file_sha256, jsonable, write_output

LOCK_FORMAT = "fourdcb.benchmark_lock"
VIDEO, TRUTH, CAMERA = "video.mp4", "world.py", "camera.json"


@dataclass(frozen=True, slots=True)
class Pins:
    """What a lock file says a benchmark is: hashes by sample and role, and of the thresholds."""

    samples: Mapping[str, Mapping[str, str]]
    criteria: str


def find_samples(root: Path) -> tuple[PlannedSample, ...]:
    """Every folder under ``root`` that holds a ``video.mp4``, in the order of their names.

    The sample's id is its path below ``root``; what stands before a trailing number is its group
    (``table_slide/007`` and ``table_slide_007`` belong to ``table_slide``). A model is given the video and
    the
    camera (``camera.json``, else that of the truth script), never the truth.

    Raises:
        UserError: there is no such folder, or nothing in it, or a truth that is no script.
    """
    if not root.is_dir():
        raise UserError(
            "there is no such folder",
            where=str(root),
            hint="name a benchmark of the catalog, or a folder of scenes",
        )
    base = root / "scenes" if (root / "scenes").is_dir() else root
    videos = sorted(_videos(base))
    if not videos:
        raise UserError(
            "the folder holds no samples", where=str(root), expected="folders with a video.mp4 and a world.py"
        )
    return tuple(_sample(video.parent, root, base) for video in videos)


def _videos(base: Path) -> Iterator[Path]:
    """All videos below a folder, those behind links among them; what a generator rejected is left out."""
    seen: set[str] = set()
    for place, folders, names in os.walk(base, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # a link that leads back
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name != "rejected")
        if VIDEO in names:
            try:
                place.encode()
            except UnicodeEncodeError as error:
                raise UserError("the name of a sample's folder is not UTF-8", where=repr(place)) from error
            yield Path(place) / VIDEO


def _sample(folder: Path, root: Path, base: Path) -> PlannedSample:
    sample_id = folder.relative_to(base).as_posix()
    video, truth = folder / VIDEO, folder / TRUTH
    place = folder.relative_to(root).as_posix()
    hashes = {
        role: _sha256(path)
        for role, path in (("video", video), ("reference", truth), ("camera", folder / CAMERA))
        if role == "video" or path.is_file()
    }
    inputs: dict[str, Any] = {"video": f"{place}/{VIDEO}"}
    camera = _camera(folder)
    if camera is not None:
        inputs["camera"] = camera
    request = GenerationRequest(
        sample_id=sample_id,
        task_name=REPLAY_TASK.name,
        inputs=inputs,
        output_schema=REPLAY_TASK.output_schema,
    )
    return PlannedSample(
        sample_id=sample_id,
        task=REPLAY_TASK.name,
        group=group_of(sample_id),
        request=request.to_dict(),
        hashes=hashes,
        video=f"{place}/{VIDEO}",
        reference=f"{place}/{TRUTH}" if truth.is_file() else None,
    )


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError as error:
        raise UserError("a sample's file cannot be read", where=str(path), got=error.strerror) from error


def changed_files(samples: Iterable[PlannedSample], root: Path) -> list[str]:
    """Files of samples that are not what they were when the run was planned, relative to ``root``."""
    changed = []
    for sample in samples:
        names = {
            "video": sample.video,
            "reference": sample.reference,
            "camera": f"{Path(sample.video).parent.as_posix()}/{CAMERA}",
        }
        for role, digest in sample.hashes.items():
            name = names.get(role)
            if name is None:
                continue
            path = root / name
            if not path.is_file() or file_sha256(path) != digest:
                changed.append(name)
    return changed


def group_of(sample_id: str) -> str:
    """Group of a sample: its id up to a trailing number."""
    return re.sub(r"[/_-]?\d+$", "", sample_id) or sample_id


def _camera(folder: Path) -> Any:
    if (folder / CAMERA).is_file():
        return read_json(folder / CAMERA, what="the camera")
    if not (folder / TRUTH).is_file():
        return None
    from fourdcb.dsl import load_script

    return jsonable(load_script(folder / TRUTH, extract=True).world.camera)


def read_pins(benchmark: CatalogBenchmark) -> Pins | None:
    """What the lock of a benchmark pins; None when it has no lock. Raises UserError for a bad file."""
    if benchmark.lock is None or not benchmark.lock.is_file():
        return None
    value = read_json(benchmark.lock, what="the lock")
    try:
        if value["format"] != LOCK_FORMAT or value["version"] != 1:
            raise UserError("this is no lock of a benchmark", where=str(benchmark.lock))
        return Pins({str(k): dict(v) for k, v in value["samples"].items()}, str(value["criteria"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UserError("the lock is damaged", where=str(benchmark.lock), got=str(error)) from error


def write_pins(benchmark: CatalogBenchmark, criteria: str) -> Path:
    """Pin a benchmark as it lies there. Raises UserError when it declares no lock file."""
    if benchmark.lock is None:
        raise UserError(
            f"the benchmark {benchmark.id!r} declares no lock file", hint="add lock: NAME.json to its entry"
        )
    samples = {sample.sample_id: dict(sample.hashes) for sample in find_samples(benchmark.data)}
    value = {"format": LOCK_FORMAT, "version": 1, "samples": samples, "criteria": criteria}
    text = json.dumps(json.loads(canonical_json(value)), indent=1, sort_keys=True)
    write_output(benchmark.lock, text + "\n")
    return benchmark.lock
