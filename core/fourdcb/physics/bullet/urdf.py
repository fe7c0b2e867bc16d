"""Bodies as URDF files: the only way to set inertia at creation and to ask for face-to-face contact."""

from __future__ import annotations

import hashlib
import tempfile
from collections import OrderedDict
from pathlib import Path

from fourdcb.physics.bullet.collision_shape import Hull, Part, Shape

_KEPT = 256
# Without a visual element Bullet tessellates every collision element to draw it: 2 ms for a cylinder.
_VISUAL = '<visual><geometry><box size="0.001 0.001 0.001"/></geometry></visual>'


class UrdfStore:
    """Writes URDF and OBJ files into a private folder, named by content, at most a few hundred.

    The folder goes away with :meth:`close`, or when the process ends.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fourdcb-bodies-")
        self._known: OrderedDict[str, Path] = OrderedDict()

    def body_file(self, shape: Shape, *, mass: float) -> str:
        """Path of the URDF of a body of ``mass`` [kg] (0 is static)."""
        elements = [_collision(part) for part in shape.parts]
        elements += [_collision(self._mesh_part(hull)) for hull in shape.hulls]
        if shape.surface is not None:
            elements.append(_collision(self._mesh_part(shape.surface), concave=True))
        return str(self._file(_urdf_text(shape, mass, elements), ".urdf"))

    def close(self) -> None:
        """Deletes the folder."""
        self._folder.cleanup()

    def _mesh_part(self, hull: Hull) -> Part:
        name = self._file(_obj_text(hull), ".obj").name
        return Part(geometry=f'<mesh filename="{name}" scale="1 1 1"/>')

    def _file(self, text: str, suffix: str) -> Path:
        key = hashlib.sha256(text.encode()).hexdigest()[:24] + suffix
        path = self._known.get(key)
        if path is None:
            path = Path(self._folder.name) / key
            path.write_text(text, encoding="ascii")
            self._known[key] = path
        self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)[1].unlink()
        return path


def _urdf_text(shape: Shape, mass: float, collisions: list[str]) -> str:
    x, y, z = (mass * moment for moment in shape.unit_inertia)
    return (
        '<?xml version="1.0"?><robot name="body"><link name="link"><inertial><origin xyz="0 0 0"/>'
        f'<mass value="{mass!r}"/><inertia ixx="{x!r}" ixy="0" ixz="0" iyy="{y!r}" iyz="0" izz="{z!r}"/>'
        f"</inertial>{_VISUAL}{''.join(collisions)}</link></robot>"
    )


def _collision(part: Part, *, concave: bool = False) -> str:
    a, b, c = part.origin
    attributes = ' concave="yes"' if concave else ""
    return (
        f"<collision{attributes}>"
        f'<origin xyz="{a!r} {b!r} {c!r}" rpy="0 0 0"/><geometry>{part.geometry}</geometry></collision>'
    )


def _obj_text(hull: Hull) -> str:
    vertices = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in hull.vertices.tolist())
    faces = "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in hull.faces.tolist())
    return vertices + faces
