"""The sRGB curve on tensors, as in ``conventions``, with finite gradients on both sides of its joint."""

from __future__ import annotations

import torch
from torch import Tensor


def linear_from_srgb(srgb: Tensor) -> Tensor:
    """Linear light of sRGB values in [0, 1] (IEC 61966-2-1)."""
    curved = ((srgb.clamp(min=0.04045) + 0.055) / 1.055) ** 2.4
    return torch.where(srgb <= 0.04045, srgb / 12.92, curved)


def srgb_from_linear(linear: Tensor) -> Tensor:
    """sRGB values in [0, 1]; values outside are clipped and then carry no gradient."""
    value = linear.clamp(0.0, 1.0)
    curved = 1.055 * value.clamp(min=0.0031308) ** (1.0 / 2.4) - 0.055
    return torch.where(value <= 0.0031308, 12.92 * value, curved)
