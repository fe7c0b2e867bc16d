"""Types of arrays, each by one name; their shapes stand where they are used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
I32 = NDArray[np.int32]
U8 = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Poses = tuple[F64, F64]
"""Positions [m], shape (..., 3), and orientations as wxyz quaternions, shape (..., 4)."""
