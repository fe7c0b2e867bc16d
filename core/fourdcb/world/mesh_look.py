"""The material that a mesh file brings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class MeshLook:
    """The material that a mesh file brings.

    Attributes:
        base_color: linear factor of the base colour.
        roughness, metallic: factors.
        base_color_image: sRGB, uint8, shape (H, W, 3), row 0 on top; None for none.
        normal_image: tangent-space normals (OpenGL, +Y up), likewise.
        metallic_roughness_image: green multiplies roughness, blue metallic.
    """

    base_color: tuple[float, float, float]
    roughness: float
    metallic: float
    base_color_image: NDArray[np.uint8] | None
    normal_image: NDArray[np.uint8] | None
    metallic_roughness_image: NDArray[np.uint8] | None
