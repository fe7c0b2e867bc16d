"""Finished frames kept on disk, so that a long render goes on where it was stopped.

A folder holds ``manifest.json`` (format ``fourdcb.frames``, version 1, and the key of what was drawn) and one
``frame_000012.npz`` per finished frame: ``linear`` (radiance before exposure, float16, shape (H, W, 3)) and
``rgb`` (sRGB, uint8, shape (H, W, 3)). Every file is written whole or not at all.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, content_hash, write_atomic
from fourdcb.render.settings import Frame

FORMAT, VERSION = "fourdcb.frames", 1
_MANIFEST, _LOCK, _FRAMES, _PARTS = "manifest.json", ".lock", "frame_*.npz", ".*.part"
_LARGEST_HALF = 65504.0
# What reading a damaged archive raises, by the byte that is wrong; such a frame is drawn again.
_DAMAGES = (
    OSError, EOFError, KeyError, ValueError, TypeError, RuntimeError, MemoryError,
    zipfile.BadZipFile, zlib.error, SyntaxError,
)  # fmt: skip


class FrameFolder:
    """The finished frames of one render.

    Attributes:
        path: the folder.
        kept: how many frames of the same render were there when it was opened.
        replaced: whether frames of another render were there; they are gone.
    """

    def __init__(
        self, path: Path, contents: Mapping[str, Any], *, size: tuple[int, int] | None = None
    ) -> None:
        """Open or make a folder for a render.

        Args:
            path: the folder; its parent must exist.
            contents: everything that decides how the frames look, with a JSON form.
            size: height and width that a frame must have to be one [px]; None takes any.

        Raises:
            UserError: when it holds anything but kept frames, another process uses it, or it cannot be
                written.
        """
        self.path, self._size = path, size
        key = content_hash(dict(contents))
        manifest = {"format": FORMAT, "version": VERSION, "key": key, "contents": dict(contents)}
        try:
            _key(path)  # nothing is put into somebody else's folder
            path.mkdir(exist_ok=True)
            self._lock = _locked(path / _LOCK)
            before = _key(path)
            for part in path.glob(_PARTS):
                part.unlink()
            self.replaced = before is not None and before != key
            if self.replaced:
                self._clear()
            write_atomic(path / _MANIFEST, canonical_json(manifest) + "\n")
        except OSError as error:
            raise UserError(
                "the folder of frames cannot be written", where=str(path), got=error.strerror
            ) from error
        self.kept = len(list(path.glob(_FRAMES)))

    def get(self, index: int) -> NDArray[np.uint8] | None:
        """sRGB picture of a finished frame, uint8, shape (H, W, 3); None when it is not there."""
        path = self._file(index)
        if not path.is_file():
            return None
        try:
            with path.open("rb") as stream, np.load(stream) as arrays:
                picture: NDArray[np.uint8] = arrays["rgb"]
        except _DAMAGES:
            return None
        whole = picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
        return picture if whole and self._size in (None, picture.shape[:2]) else None

    def put(self, index: int, frame: Frame) -> None:
        """Keep a finished frame. Raises UserError when it cannot be written."""
        buffer = io.BytesIO()
        linear = np.clip(frame.linear, 0.0, _LARGEST_HALF).astype(np.float16)
        np.savez_compressed(buffer, rgb=frame.rgb, linear=linear)
        try:
            write_atomic(self._file(index), buffer.getvalue())
        except OSError as error:
            raise UserError(
                "the frame cannot be written", where=str(self._file(index)), got=error.strerror
            ) from error

    def close(self) -> None:
        """Let other processes have the folder; the frames stay."""
        self._lock.close()

    def remove(self) -> None:
        """Delete the frames and the folder; anything else that somebody put there stays, and so does it."""
        self._clear()
        (self.path / _MANIFEST).unlink(missing_ok=True)
        # While it is held: somebody else would take hold of a file that is gone.
        (self.path / _LOCK).unlink(missing_ok=True)
        self._lock.close()
        if not any(self.path.iterdir()):
            self.path.rmdir()

    def _file(self, index: int) -> Path:
        return self.path / f"frame_{index:06d}.npz"

    def _clear(self) -> None:
        for file in self.path.glob(_FRAMES):
            file.unlink()


def _locked(path: Path) -> IO[str]:
    """A file that this process holds until it ends, however it ends. Raises UserError when another does."""
    import fcntl

    stream = path.open("a", encoding="utf-8")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise UserError(
            "another render writes into this folder", where=str(path.parent), hint="wait for it, or end it"
        ) from error
    return stream


def _key(path: Path) -> str | None:
    """Key of the render whose frames a folder holds, "" for a damaged manifest; None for a new folder.

    Raises:
        UserError: when somebody else's files are there.
    """
    if not path.exists() or (path.is_dir() and all(file.name == _LOCK for file in path.iterdir())):
        return None
    manifest = path / _MANIFEST
    if not path.is_dir() or not manifest.is_file():
        raise UserError("this is not a folder of kept frames", where=str(path), hint="move or delete it")
    try:
        told = json.loads(manifest.read_text(encoding="utf-8"))
        ours = told["format"] == FORMAT
    except (ValueError, KeyError, TypeError, RecursionError):
        ours = False
    if not ours:
        raise UserError("this is not a folder of kept frames", where=str(manifest), hint="move or delete it")
    return str(told.get("key", "")) if told.get("version") == VERSION else ""
