"""The sRGB curve of ``conventions`` on tensors, with finite gradients on both sides of its joint."""

from __future__ import annotations

import torch
from torch import Tensor

from fourdcb.conventions import LINEAR_KNEE, SRGB_KNEE, SRGB_OFFSET, SRGB_POWER, SRGB_SLOPE


def linear_from_srgb(srgb: Tensor) -> Tensor:
    """Linear light of sRGB values in [0, 1] (IEC 61966-2-1)."""
    curved = ((srgb.clamp(min=SRGB_KNEE) + SRGB_OFFSET) / (1.0 + SRGB_OFFSET)) ** SRGB_POWER
    return torch.where(srgb <= SRGB_KNEE, srgb / SRGB_SLOPE, curved)


def srgb_from_linear(linear: Tensor) -> Tensor:
    """sRGB values in [0, 1]; values outside are clipped and then carry no gradient."""
    value = linear.clamp(0.0, 1.0)
    curved = (1.0 + SRGB_OFFSET) * value.clamp(min=LINEAR_KNEE) ** (1.0 / SRGB_POWER) - SRGB_OFFSET
    return torch.where(value <= LINEAR_KNEE, SRGB_SLOPE * value, curved)
