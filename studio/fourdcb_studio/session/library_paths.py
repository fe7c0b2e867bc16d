"""Whether what the user opens is a library of cases. Light: every opening asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fourdcb.dataset.layout import CANDIDATE_FOLDER, REFERENCE_NAME

_NOTES_NAME, _RECORD_NAME = "library.json", "case.json"


def library_folder(paths: Sequence[Path]) -> Path | None:
    """The folder of cases that paths mean, None when they mean a scene, one stored case, or files."""
    try:
        return _library_folder(paths)
    except OSError:  # no file can have such a name: who opens it as files says so
        return None


def _library_folder(paths: Sequence[Path]) -> Path | None:
    if len(paths) != 1 or not paths[0].is_dir():
        return None
    folder = paths[0].absolute()
    if (folder / _NOTES_NAME).is_file():
        return folder
    scene = (folder / REFERENCE_NAME).is_file() or (folder / CANDIDATE_FOLDER).is_dir()
    if scene or (folder / _RECORD_NAME).is_file():
        return None
    from fourdcb.library.scan import holds_report

    return folder if holds_report(folder) else None
