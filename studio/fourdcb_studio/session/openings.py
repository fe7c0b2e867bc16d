"""The rows of the welcome page: bundled scenes and what was opened lately."""

from __future__ import annotations

from pathlib import Path

from fourdcb.dataset.layout import CANDIDATE_FOLDER
from fourdcb.words import tr
from fourdcb_studio.session.recent import RecentFiles
from fourdcb_studio.session.sources import bundled_scene, bundled_scene_names

Opening = tuple[str, str, tuple[Path, ...]]
"""Title, note, what is opened."""


def openings(recent: RecentFiles) -> tuple[list[Opening], list[Opening]]:
    """(bundled, recent) rows."""
    folders = [bundled_scene(name) for name in bundled_scene_names()]
    bundled: list[Opening] = [(folder.name, _candidates(folder), (folder,)) for folder in folders]
    lately: list[Opening] = [
        (" + ".join(p.name for p in paths), _place(paths[0]), paths) for paths in recent.entries()
    ]
    return bundled, lately


def _candidates(folder: Path) -> str:
    count = len(list((folder / CANDIDATE_FOLDER).glob("*.py")))
    return tr("{count} candidates", count=count) if count != 1 else tr("1 candidate")


def _place(path: Path) -> str:
    home = Path.home()
    parent = path.parent
    return f"~/{parent.relative_to(home)}" if parent.is_relative_to(home) else str(parent)
