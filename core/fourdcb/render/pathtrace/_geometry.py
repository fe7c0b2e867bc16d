"""Bodies of a compiled scene as Mitsuba meshes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import I32, Poses
from fourdcb.conventions import rotation_from_quaternion
from fourdcb.render._fluid import Surface, pour
from fourdcb.render._scene import Scene
from fourdcb.render.pathtrace._surfaces import PLAIN, VERTEX_COLOR, surface


class BodyMeshes:
    """Makes the meshes of a scene at given poses; surfaces are made once.

    Mitsuba has no animated shapes, so every pose is a scene of its own.
    """

    def __init__(self, mi: Any, scene: Scene, bodies: int) -> None:
        """``bodies``: how many of the scene's rows are bodies; fluids come after them."""
        self._mi, self._scene = mi, scene
        self._bodies = bodies
        self._parts = [
            (body, faces, surface(mi, scene.materials, body, hand))
            for body in range(bodies)
            for hand, faces in _parts(scene, body)
        ]
        self._fluids = {
            body: surface(mi, scene.materials, body, PLAIN) for body in range(bodies, len(scene.mesh.bodies))
        }

    def pour(self, found: Surface | None) -> None:
        """Give the fluid another surface; it has none with None."""
        for body in self._fluids:
            pour(self._scene.mesh, body, found)

    def at(self, poses: Poses, kept: NDArray[np.intp] | None = None, *, fluid: bool = True) -> dict[str, Any]:
        """Shapes by name, in the world; ``kept`` are the bodies that are there, None for all."""
        rotations = rotation_from_quaternion(poses[1])
        return (self._poured() if fluid else {}) | {
            f"part{i}": self._mesh(f"part{i}", body, faces, look, poses[0][body], rotations[body])
            for i, (body, faces, look) in enumerate(self._parts)
            if kept is None or body in kept
        }

    def _poured(self) -> dict[str, Any]:
        found = {}
        for body, look in self._fluids.items():
            first, _, face, face_end = self._scene.mesh.bodies[body, :4]
            faces = self._scene.mesh.faces[face:face_end, :3] - first
            if len(faces):
                name = f"fluid{body}"
                found[name] = self._mesh(name, body, faces, look, np.zeros(3), np.eye(3))
        return found

    def _mesh(
        self,
        name: str,
        body: int,
        faces: I32,
        look: Any,
        position: NDArray[np.float64],
        rotation: NDArray[np.float64],
    ) -> Any:
        first, end = self._scene.mesh.bodies[body, :2]
        local, uv = self._scene.mesh.local[first:end], self._scene.mesh.points[first:end, 6:]
        properties = self._mi.Properties()
        properties["bsdf"] = look
        mesh = self._mi.Mesh(
            name, len(local), len(faces), properties, has_vertex_normals=True, has_vertex_texcoords=True
        )
        if self._scene.materials.maps[body, 5]:
            factor = self._scene.materials.surface[body, :3]
            mesh.add_attribute(VERTEX_COLOR, 3, _flat(self._scene.mesh.colors[first:end] * factor))
        arrays = self._mi.traverse(mesh)
        arrays["vertex_positions"] = _flat(local[:, :3] @ rotation.T + position)
        arrays["vertex_normals"] = _flat(local[:, 3:] @ rotation.T)
        arrays["vertex_texcoords"] = _flat(uv * [1.0, -1.0] + [0.0, 1.0])  # Mitsuba's v points down
        arrays["faces"] = faces.ravel().astype(np.uint32)
        arrays.update()
        return mesh


def _flat(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    return np.ascontiguousarray(rows, dtype=np.float32).ravel()


def _parts(scene: Scene, body: int) -> Iterator[tuple[int, I32]]:
    """(hand, faces) of a body; faces are split by hand only where a normal map needs it."""
    first, _, face, face_end = scene.mesh.bodies[body, :4]
    faces = scene.mesh.faces[face:face_end, :3] - first
    if scene.materials.maps[body, 1] < 0:
        yield PLAIN, faces
        return
    corners = scene.mesh.points[first:, 6:][faces]
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    hands = np.sign(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).astype(int)
    for hand in np.unique(hands):
        yield int(hand), faces[hands == hand]
