"""Puts a judgement into a library as a case of its own."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.errors import UserError
from fourdcb.identity import StrPath, file_sha256
from fourdcb.library.scan import (
    PICTURE_NAMES,
    RECORD_NAME,
    REPORT_NAME,
    SCRIPT_NAMES,
    SERIES_NAME,
)

MEDIA_FOLDER = "media"
_FORMAT, _VERSION = "fourdcb.case", 1
_LONGEST_NAME = 180  # [bytes] of a case's folder; file systems stop at 255
_ODD = re.compile(r"[^\w.-]+")


def add_case(
    library: StrPath,
    *,
    report: str,
    series: bytes | None = None,
    script: Path,
    video: Path,
    reference: Path | None = None,
    picture: bytes | None = None,
    title: str | None = None,
) -> Path:
    """Store a judged case; the folder appears whole or not at all.

    Scripts are copied. A video is copied once into the library's ``media`` folder, under its hash, however
    many cases judge it.

    Args:
        library: folder of the library; made when missing.
        report: text of the report.json.
        series: the ``series.npz`` that it refers to; None when its series are inside.
        script, video, reference: what was judged.
        picture: PNG that shows the case.
        title: what it is called; default candidate and scene.

    Returns:
        The case's folder.

    Raises:
        UserError: a file cannot be read, or the library not be written.
    """
    root = Path(library)
    scene = (reference or video).absolute().parent.name if reference or video.stem == "video" else video.stem
    name = title or f"{scene} · {script.stem}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        stored = _store_video(root / MEDIA_FOLDER, video)
        with tempfile.TemporaryDirectory(dir=root, prefix=".case-") as temporary:
            made = Path(temporary) / "case"
            made.mkdir()
            shutil.copyfile(script, made / SCRIPT_NAMES[0])
            if reference is not None:
                shutil.copyfile(reference, made / REFERENCE_NAME)
            if picture is not None:
                (made / PICTURE_NAMES[0]).write_bytes(picture)
            (made / REPORT_NAME).write_text(report, encoding="utf-8", errors="backslashreplace")
            if series is not None:
                (made / SERIES_NAME).write_bytes(series)
            record = _record(name, scene, script=script, video=video, reference=reference, stored=stored)
            text = json.dumps(record, ensure_ascii=False, indent=1) + "\n"
            (made / RECORD_NAME).write_text(text, encoding="utf-8", errors="backslashreplace")
            return _place(made, root, _folder_name(f"{scene}_{script.stem}"))
    except OSError as error:
        where = str(error.filename or root)
        raise UserError("the case cannot be stored", where=where, got=error.strerror) from error


def _record(
    title: str, scene: str, *, script: Path, video: Path, reference: Path | None, stored: Path
) -> dict[str, object]:
    """What the case's own file says: names, where everything came from, and hashes."""
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "title": title,
        "scene": scene,
        "candidate": script.stem,
        "stored": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": {"video": f"../{MEDIA_FOLDER}/{stored.name}"},
        "sha256": {
            "script": file_sha256(script),
            "video": file_sha256(stored),
            "reference": None if reference is None else file_sha256(reference),
        },
        "from": {
            "script": str(script.absolute()),
            "video": str(video.absolute()),
            "reference": None if reference is None else str(reference.absolute()),
        },
    }


def _folder_name(text: str) -> str:
    name = _ODD.sub("_", text).encode()[:_LONGEST_NAME].decode(errors="ignore")
    return name.strip("_.") or "case"


def _store_video(media: Path, video: Path) -> Path:
    media.mkdir(exist_ok=True)
    target = media / f"{file_sha256(video)[:16]}{video.suffix.lower()}"
    if not target.exists():
        with tempfile.NamedTemporaryFile(dir=media, prefix=".", suffix=".part", delete=False) as stream:
            part = Path(stream.name)
        try:
            shutil.copyfile(video, part)
            part.chmod(0o644)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    return target


def _place(made: Path, root: Path, name: str) -> Path:
    """Move a finished case to the first free name; another process may take one meanwhile."""
    for number in range(1, 100_000):
        target = root / (name if number == 1 else f"{name}_{number:03d}")
        if target.exists():
            continue
        try:
            made.rename(target)
        except OSError:
            if target.exists():  # taken between the look and the move
                continue
            raise
        return target
    raise UserError("no free name for the case", where=str(root), got=name)
