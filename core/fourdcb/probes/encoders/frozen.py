"""Torch modules that are frozen and stay so: no parameter learns, no statistic drifts."""

from __future__ import annotations

import hashlib
from typing import Any

import torch

from fourdcb.errors import UserError

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def freeze(module: torch.nn.Module) -> torch.nn.Module:
    """The module in evaluation mode, no parameter of it with ``requires_grad``."""
    return module.eval().requires_grad_(False)


def parameter_digest(module: torch.nn.Module) -> str:
    """SHA-256 (hex) of all parameters and buffers by name."""
    digest = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        values = value.detach().cpu().contiguous().reshape(-1)
        digest.update(f"{name}:{values.dtype}:{tuple(value.shape)}".encode())
        digest.update(values.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def check_frozen(module: torch.nn.Module, *, name: str) -> None:
    """Raises UserError when a parameter could be trained or a layer is in training mode."""
    learning = [key for key, value in module.named_parameters() if value.requires_grad]
    training = [key or "the module" for key, part in module.named_modules() if part.training]
    if learning or training:
        raise UserError(
            "the encoder is not frozen", where=f"encoder {name}",
            got=f"{len(learning)} parameters with requires_grad ({', '.join(learning[:3])})"
            if learning else f"in training mode: {', '.join(training[:3])}",
            expected="no parameter with requires_grad, every part in evaluation mode",
            hint="call module.requires_grad_(False).eval() and keep optimisers away from it",
        )  # fmt: skip


def normalised(clips: torch.Tensor, mean: tuple[float, ...], std: tuple[float, ...]) -> torch.Tensor:
    """``(clips - mean) / std`` by channel, for (B, 3, T, H, W)."""
    shape = (1, 3, 1, 1, 1)
    return (clips - clips.new_tensor(mean).view(shape)) / clips.new_tensor(std).view(shape)


def redraw(module: torch.nn.Module, *, seed: int = 0) -> torch.nn.Module:
    """The same architecture untrained: every part that can draw its weights anew does so.

    Raises:
        UserError: a parameter belongs to a part that has no ``reset_parameters``.
    """
    state = torch.random.get_rng_state()
    torch.manual_seed(seed)
    try:
        before = {key: value.detach().clone() for key, value in module.named_parameters()}
        for part in module.modules():
            reset: Any = getattr(part, "reset_parameters", None)
            if callable(reset):
                reset()
            elif any(True for _ in part.parameters(recurse=False)):
                for value in part.parameters(recurse=False):  # a bare parameter, a [CLS] or position, say
                    torch.nn.init.trunc_normal_(value.data, std=0.02)
    finally:
        torch.random.set_rng_state(state)
    if before and all(torch.equal(before[key], value) for key, value in module.named_parameters()):
        raise UserError(
            "the weights could not be drawn anew",
            got=type(module).__name__,
            hint="does it fix the seed in its constructor, or keep weights that no layer resets?",
        )
    return module
