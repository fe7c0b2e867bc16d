"""Whether what the user opens is a library of cases or evaluation runs. Light: every opening asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fourdcb.dataset.layout import CANDIDATE_FOLDER, REFERENCE_NAME

_NOTES_NAME, _RECORD_NAME, _PLAN_NAME = "library.json", "case.json", "plan.json"


def run_folders(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The folders of evaluation runs that paths mean, () when one of them means something else."""
    try:
        if not paths or not all(_may_hold_runs(path) for path in paths):
            return ()
    except OSError:  # as for libraries
        return ()
    from fourdcb.evaluation.runs.reading import find_runs

    folders = tuple(path.absolute() for path in paths)
    return folders if all(find_runs(folder) for folder in folders) else ()


def _may_hold_runs(folder: Path) -> bool:
    if not folder.is_dir() or (folder / REFERENCE_NAME).is_file() or (folder / CANDIDATE_FOLDER).is_dir():
        return False
    return (folder / _PLAN_NAME).is_file() or next(folder.glob(f"*/{_PLAN_NAME}"), None) is not None


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
