"""Remarks about mesh files, made when the script is checked and not when it is replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fourdcb.errors import Diagnostic, UserError
from fourdcb.world.confusions import is_unusual_size, length_guess
from fourdcb.world.model import Object

if TYPE_CHECKING:
    from fourdcb.world.mesh import TriangleMesh

_SILENT_SIZE = next(f.default for f in fields(Object) if f.name == "size")
FAR_ORIGIN = 100.0  # [m] of the file's own origin from its mesh


def mesh_errors(obj: Object, base_dir: str) -> Iterator[Diagnostic]:
    """What keeps an object's mesh file from being replayed."""
    from fourdcb.world.mesh import object_mesh

    path = f"{obj.name}.mesh"
    try:
        fault = _fault(object_mesh(obj, base_dir=base_dir))
    except UserError as error:
        text = f"{error.what}: {error.got}" if error.got else error.what
        yield _error(path, f"Object {obj.name!r}: {text}.", error.hint)
        return
    if fault is not None:
        hint = "A body needs a closed surface whose triangles face outwards."
        yield _error(path, f"Object {obj.name!r}: the mesh {fault}.", hint)


@lru_cache(maxsize=32)
def _fault(mesh: TriangleMesh) -> str | None:
    from fourdcb.world.mesh_surface import surface_fault, welded_surface

    return surface_fault(welded_surface(mesh.vertices, mesh.faces))


def mesh_warnings(obj: Object, base_dir: str) -> Iterator[Diagnostic]:
    """What is implausible about a mesh file that can be replayed."""
    from fourdcb.world.mesh import object_mesh
    from fourdcb.world.mesh_surface import middle

    if obj.size != _SILENT_SIZE:
        text = f"Object {obj.name!r}: size has no effect on a mesh file; scale the file."
        yield _warning(f"{obj.name}.size", text, "no-effect")
    mesh = object_mesh(obj, base_dir=base_dir)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if obj.kind != "static" and is_unusual_size(size):
        text = f"Object {obj.name!r}: the mesh is {size:g} m long; a mesh file's numbers are metres"
        yield _warning(f"{obj.name}.mesh", f"{text}{length_guess(size)}.", "doubtful-unit")
    away = float(np.linalg.norm(middle(mesh.vertices)))
    if away > max(FAR_ORIGIN, 10.0 * size):
        text = f"Object {obj.name!r}: the mesh lies {away:g} m from its own origin, and pos is that origin."
        yield _warning(f"{obj.name}.mesh", text, "far-origin")


def _warning(path: str, text: str, code: str) -> Diagnostic:
    return Diagnostic(severity="warning", code=code, message=text, path=path)


def _error(path: str, text: str, hint: str | None) -> Diagnostic:
    return Diagnostic(severity="error", code="mesh", message=text, path=path, hint=hint)
