"""Materials and textures of a compiled scene as Mitsuba's ``principled``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.render._kernels.arrays import Materials
from fourdcb.render.brdf import ETA

PLAIN, UPRIGHT, MIRRORED = 0, 1, -1  # how texture coordinates lie on a face: without area, as drawn, mirrored


def surface(mi: Any, materials: Materials, body: int, hand: int) -> Any:
    """The two-sided surface of a body's faces.

    Args:
        mi: the loaded Mitsuba.
        materials: of the compiled scene.
        body: index of the body.
        hand: PLAIN, UPRIGHT or MIRRORED; decides the green axis of a normal map.
    """
    base, normal, roughness, metallic = (int(i) for i in materials.maps[body, :4])
    red, green, blue, rough, metal = (float(x) for x in materials.surface[body])
    inner: dict[str, Any] = {
        "type": "principled",
        "eta": ETA,
        "base_color": {"type": "rgb", "value": [red, green, blue]},
        "roughness": rough,
        "metallic": metal,
    }
    if base >= 0:
        inner["base_color"] = _texture(mi, image_of(materials, base))
    if roughness >= 0:
        inner["roughness"] = _texture(mi, rough * image_of(materials, roughness)[..., :1])
    if metallic >= 0:
        inner["metallic"] = _texture(mi, metal * image_of(materials, metallic)[..., :1])
    if normal >= 0 and hand != PLAIN:
        inner = {
            "type": "normalmap",
            "normalmap": _texture(mi, _normals(image_of(materials, normal), hand)),
            "flip_invalid_normals": True,  # a normal that leans away from the eye would be black
            "use_shadowing_function": False,
            "bsdf": inner,
        }
    return mi.load_dict({"type": "twosided", "inner": inner})


def image_of(materials: Materials, index: int) -> NDArray[np.float32]:
    """Full-size texels of a packed texture, row 0 on top, shape (H, W, 3)."""
    first, width, height = (int(x) for x in materials.images[index, :3])
    return materials.texels[first : first + width * height].reshape(height, width, 3)


def _normals(image: NDArray[np.float32], hand: int) -> NDArray[np.float32]:
    """Mitsuba's bitangent is always normal × tangent, ours follows the texture's own axis."""
    return image if hand == UPRIGHT else np.abs(np.array([0, 1, 0], np.float32) - image)


def _texture(mi: Any, image: NDArray[np.float32]) -> dict[str, Any]:
    """Linear values, bilinear and repeated: what the raster backend looks up."""
    return {"type": "bitmap", "bitmap": mi.Bitmap(np.ascontiguousarray(image, np.float32)), "raw": True}
