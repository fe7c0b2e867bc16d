"""A set as one file to hand on, in the layout ``scenes/NAME/world.py, video.mp4``."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from fourdcb.dataset.layout import REFERENCE_NAME, VIDEO_NAME
from fourdcb.errors import UserError
from fourdcb.identity import write_output


def pack(folder: Path, archive: Path) -> int:
    """Pack all scenes below a folder; equal scenes give equal bytes.

    Args:
        folder: whose sub-folders hold a script and a video; ``a/000`` becomes ``scenes/a_000``.
        archive: ``.tar.gz`` to write.

    Returns:
        The number of scenes.

    Raises:
        UserError: when there is no scene, or the archive cannot be written.
    """
    scenes = sorted(
        path.parent
        for path in folder.rglob(REFERENCE_NAME)
        if (path.parent / VIDEO_NAME).is_file()
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    )
    if not scenes:
        raise UserError(
            "there is no scene to pack", where=str(folder), expected=f"{REFERENCE_NAME} and {VIDEO_NAME}"
        )
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for scene in scenes:
            name = "_".join(scene.relative_to(folder).parts) or folder.name
            for file in (REFERENCE_NAME, VIDEO_NAME):
                data = (scene / file).read_bytes()
                entry = tarfile.TarInfo(
                    f"scenes/{name}/{file}"
                )  # no owner, no time: bytes follow from contents
                entry.size, entry.mode = len(data), 0o644
                tar.addfile(entry, io.BytesIO(data))
    write_output(archive, gzip.compress(inner.getvalue(), mtime=0))
    return len(scenes)
