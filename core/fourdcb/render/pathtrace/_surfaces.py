"""Materials and textures of a compiled scene as Mitsuba's ``principled``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.render._kernels.arrays import Materials

VERTEX_COLOR = "vertex_color"
_LEAST_ETA = 1.0 + 1e-4  # Mitsuba refuses 1: nothing is reflected by then
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
    red, green, blue, rough, metal, eta, subsurface = (float(x) for x in materials.surface[body, :7])
    colored = bool(materials.maps[body, 5])
    if colored and base >= 0:
        raise UserError(
            "the path tracer cannot multiply the vertex colours of a mesh with its texture",
            hint="draw it with --backend raster, or state base_color",
        )
    inner: dict[str, Any] = {
        "type": "principled",
        "eta": max(eta, _LEAST_ETA),
        "base_color": {"type": "rgb", "value": [red, green, blue]},
        "roughness": rough,
        "metallic": metal,
    }
    if base >= 0:
        inner["base_color"] = _texture(mi, image_of(materials, base))
    if colored:
        inner["base_color"] = {"type": "mesh_attribute", "name": VERTEX_COLOR}
    if roughness >= 0:
        inner["roughness"] = _texture(mi, rough * image_of(materials, roughness)[..., :1])
    if metallic >= 0:
        inner["metallic"] = _texture(mi, metal * image_of(materials, metallic)[..., :1])
    if subsurface > 0.0:
        share = metal * image_of(materials, metallic)[..., :1] if metallic >= 0 else metal
        inner = _scattering(mi, inner, subsurface, materials.surface[body, 7:10], share)
    if normal >= 0 and hand != PLAIN:
        inner = {
            "type": "normalmap",
            "normalmap": _texture(mi, _normals(image_of(materials, normal), hand)),
            "flip_invalid_normals": True,  # a normal that leans away from the eye would be black
            "use_shadowing_function": False,
            "bsdf": inner,
        }
    return mi.load_dict({"type": "twosided", "inner": inner})


def _scattering(
    mi: Any, inner: dict[str, Any], share: float, color: NDArray[np.float64], metal: Any
) -> dict[str, Any]:
    """A surface whose diffuse part is to a share light from under it: Mitsuba's ``flatness``.

    Its colour is the base colour's in Mitsuba. Another one is a blend of a surface that only scatters with
    one that is as much more metallic as keeps every part of the whole what it was: all are linear.
    """
    if color[0] < 0.0:
        return {**inner, "flatness": share}
    weight = np.asarray(share * (1.0 - metal), dtype=np.float64)
    metallic = np.divide(metal, 1.0 - weight, out=np.zeros_like(weight), where=weight < 1.0)
    within = {**inner, "flatness": 1.0, "metallic": 0.0}
    within["base_color"] = {"type": "rgb", "value": [float(c) for c in color]}
    return {
        "type": "blendbsdf",
        "weight": _value(mi, weight),
        "first": {**inner, "metallic": _value(mi, metallic)},
        "second": within,
    }


def _value(mi: Any, value: NDArray[np.float64]) -> Any:
    return float(value) if value.ndim == 0 else _texture(mi, value.astype(np.float32))


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
