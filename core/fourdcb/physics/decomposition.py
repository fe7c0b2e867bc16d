"""Concave meshes as sets of convex pieces: CoACD's search, once per mesh, kept in the user's cache folder.

Wei, Liu, Ling, Su: Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and Tree
Search, SIGGRAPH 2022. The search takes a quarter of a second for an L and ten for a bowl of 3000 triangles.
"""

from __future__ import annotations

import hashlib
import io
import logging
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import F64, I32
from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, write_atomic

Piece = tuple[F64, I32]

_log = logging.getLogger(__name__)
# Concavity as a share of the mesh's size. The search is seeded, so that a mesh always gives the same pieces.
_SETTINGS = {
    "threshold": 0.05,
    "resolution": 1000,
    "mcts_iterations": 60,
    "decimate": True,
    "max_ch_vertex": 64,
    "seed": 0,
}


def convex_pieces(vertices: F64, faces: I32) -> tuple[Piece, ...]:
    """Convex pieces that together fill a closed surface.

    Args:
        vertices: [m], shape (V, 3).
        faces: shape (F, 3), outward.

    Returns:
        (vertices, faces) of every piece.

    Raises:
        UserError: when the decomposition is not installed or fails.
    """
    coacd = _coacd()
    stored = _stored_at(vertices, faces)
    pieces = _read(stored)
    if pieces is None:
        pieces = _search(coacd, vertices, faces)
        _write(stored, pieces)
    return pieces


def _search(coacd: Any, vertices: F64, faces: I32) -> tuple[Piece, ...]:
    _log.info("a concave mesh of %d triangles is cut into convex pieces", len(faces))
    coacd.set_log_level("off")
    found = coacd.run_coacd(coacd.Mesh(vertices, faces), **_SETTINGS)
    if not found:
        raise UserError("a concave mesh could not be cut into convex pieces", got=f"{len(faces)} triangles")
    return tuple((np.asarray(v, dtype=np.float64), np.asarray(f, dtype=np.int32)) for v, f in found)


def _coacd() -> Any:
    try:
        import coacd
    except (ImportError, OSError) as error:
        raise UserError(
            "a concave mesh needs a convex decomposition, which does not load",
            got=str(error),
            hint="pip install coacd, or build the object from convex parts",
        ) from error
    return coacd


def _stored_at(vertices: F64, faces: I32) -> Path:
    from importlib.metadata import version

    from platformdirs import user_cache_path

    recipe = canonical_json({"coacd": version("coacd"), **_SETTINGS})
    digest = hashlib.sha256()
    for part in (vertices.tobytes(), faces.tobytes(), recipe.encode()):
        digest.update(part)
    return user_cache_path("fourdcb") / "convex" / f"{digest.hexdigest()[:32]}.npz"


def _read(path: Path) -> tuple[Piece, ...] | None:
    try:
        with np.load(path, allow_pickle=False) as stored:
            count = int(stored["count"])
            return tuple((stored[f"vertices_{k}"], stored[f"faces_{k}"]) for k in range(count))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None  # not there, or damaged: it is made anew


def _write(path: Path, pieces: tuple[Piece, ...]) -> None:
    arrays: dict[str, Any] = {"count": np.array(len(pieces))}
    for k, (vertices, faces) in enumerate(pieces):
        arrays |= {f"vertices_{k}": vertices, f"faces_{k}": faces}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, buffer.getvalue())
    except OSError as error:  # a cache that cannot be written costs time, not correctness
        _log.info("the convex pieces are not cached: %s", error)
