"""Encoders of one's own: a torch module by name, or a transformer whose weights lie in a local folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fourdcb.arrays import F32
from fourdcb.errors import MissingDependencyError, UserError
from fourdcb.probes.encoders.contract import EncoderSpec, Features, check_features, check_input
from fourdcb.probes.encoders.frozen import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    check_frozen,
    freeze,
    normalised,
    parameter_digest,
    redraw,
)


class ModuleEncoder:
    """A frozen module that is called with normalised windows and answers with tokens.

    The module may answer ``(cls, patches)``, shapes (B, D) and (B, T', h, w, D'), or an object with
    ``last_hidden_state``, shape (B, [1 +] T'·h·w, D), and perhaps ``pooler_output``, as transformers do. A
    first token beyond a whole grid is [CLS]; without one the mean of all tokens stands for it.

    Args:
        module: is frozen here.
        spec: says side, frames and normalisation.
        argument: name of the module's input; empty passes it by place.
        frames_first: whether it takes (B, T, 3, H, W), not (B, 3, T, H, W).
        layer: number of the hidden state to read (``output_hidden_states``), or None.
        tubelet: frames that a token joins.
        by_frame: whether the module takes pictures (B, 3, H, W): every frame is given by itself.
    """

    def __init__(
        self, module: torch.nn.Module, spec: EncoderSpec, *, argument: str = "", frames_first: bool = False,
        layer: int | None = None, tubelet: int = 1, by_frame: bool = False,
    ) -> None:  # fmt: skip
        self._module, self.spec = freeze(module), spec
        self._argument, self._frames_first, self._layer = argument, frames_first, layer
        self._tubelet, self._by_frame = tubelet, by_frame

    @torch.inference_mode()
    def encode(self, clips: F32) -> Features:
        """Features of windows, shape (B, 3, T, H, W), in [0, 1]."""
        check_input(clips, self.spec)
        batch, frames = clips.shape[0], clips.shape[2]
        x = normalised(torch.from_numpy(clips), self.spec.mean, self.spec.std)
        if self._by_frame:
            x = x.transpose(1, 2).flatten(0, 1)
        elif self._frames_first:
            x = x.transpose(1, 2)
        out = self._called(x)
        cls, patches = self._parts(out, len(x), 1 if self._by_frame else frames // self._tubelet)
        if self._by_frame:
            cls = cls.unflatten(0, (batch, frames)).mean(dim=1)
            patches = patches.unflatten(0, (batch, frames)).flatten(1, 2)
        found = Features(_numbers(cls), _numbers(patches))
        check_features(found, clips, self.spec)
        return found

    def _called(self, x: torch.Tensor) -> Any:
        options: dict[str, Any] = {} if self._layer is None else {"output_hidden_states": True}
        named = {self._argument: x} if self._argument else {}
        try:
            return self._module(*(() if named else (x,)), **named, **options)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UserError(
                "the encoder failed on a window", where=f"encoder {self.spec.name}",
                got=f"{type(error).__name__}: {error}"[:300],
                expected=f"a module that takes {x.dtype}, {list(x.shape)}",
                hint="encoder_options say what it takes: side, frames, frames_first, by_frame, argument",
            ) from error  # fmt: skip

    def _parts(self, out: Any, batch: int, steps: int) -> tuple[Any, Any]:
        if isinstance(out, tuple | list) and len(out) == 2 and out[1].ndim == 5:
            return out[0], out[1]
        tokens = getattr(out, "last_hidden_state", None)
        if tokens is None:
            raise UserError(
                "the encoder's answer is not understood", where=f"encoder {self.spec.name}",
                got=type(out).__name__,
                expected="(cls [B, D], patches [B, T, h, w, D]) or an object with last_hidden_state",
            )  # fmt: skip
        pooled = getattr(out, "pooler_output", None)
        if self._layer is not None:
            states = getattr(out, "hidden_states", None) or ()
            if not -len(states) <= self._layer < len(states):
                raise UserError(
                    "there is no such layer", where=f"encoder {self.spec.name}", got=str(self._layer),
                    expected=f"0 … {len(states) - 1}",
                )  # fmt: skip
            tokens, pooled = states[self._layer], None
        cls, grid = split_tokens(tokens, steps, name=self.spec.name)
        return (cls if pooled is None else pooled), grid

    def digest(self) -> str:
        """Of parameters and statistics; checks that none can be trained."""
        check_frozen(self._module, name=self.spec.name)
        return parameter_digest(self._module)


def split_tokens(tokens: Any, steps: int, *, name: str) -> tuple[Any, Any]:
    """([CLS] (B, D), patch grid (B, T', h, w, D)) of tokens (B, [1 +] T'·h·w, D).

    With 3,137 tokens of 16 steps: [CLS] and 16 × 14 × 14.

    Raises:
        UserError: the tokens are no square grid at every step.
    """
    count = tokens.shape[1]
    for extra in (0, 1):
        side = round(((count - extra) / steps) ** 0.5)
        if side > 0 and steps * side * side + extra == count:
            patches = tokens[:, extra:].unflatten(1, (steps, side, side))
            return (tokens[:, 0] if extra else tokens.mean(dim=1)), patches
    raise UserError(
        "the encoder's tokens are no square grid at every step", where=f"encoder {name}",
        got=f"{count} tokens for {steps} steps", expected="T·h·h tokens, or one more for [CLS]",
        hint="give (cls, patches) from a module of your own: torch:MODULE:CLASS",
    )  # fmt: skip


def features(model: torch.nn.Module, raw_bcthw: Any) -> tuple[Any, Any]:
    """(unit-length summary (B, D), patches (B, T, h, w, D)) of windows in [0, 1], in torch's own arrays.

    The model is called with ``pixel_values`` normalised by ImageNet's mean and deviation; its
    ``pooler_output`` is scaled to unit length, its ``last_hidden_state`` loses [CLS] and becomes a grid.

    Raises:
        UserError: the model is not frozen, or the windows are no ``[B, 3, T, H, W]`` in [0, 1].
    """
    name = type(model).__name__
    check_frozen(model, name=name)
    spec = EncoderSpec(name=name, revision="")
    check_input(raw_bcthw.detach().cpu().numpy(), spec)
    with torch.inference_mode():
        out = model(pixel_values=normalised(raw_bcthw, IMAGENET_MEAN, IMAGENET_STD))
        cls = torch.nn.functional.normalize(out.pooler_output, dim=-1)
        _, patches = split_tokens(out.last_hidden_state, raw_bcthw.shape[2], name=name)
        return cls.cpu(), patches.cpu()


def own_module(target: str, *, name: str, layer: str = "", untrained: bool = False) -> ModuleEncoder:
    """An encoder of ``MODULE:CLASS``, made without arguments.

    The class may state ``encoder_options``, a dictionary with fields of :class:`EncoderSpec` (``revision``,
    ``side``, ``frames``, ``mean``, ``std``, ``causal``, ``framewise``) and of :class:`ModuleEncoder`
    (``argument``, ``frames_first``, ``tubelet``, ``by_frame``).

    Raises:
        UserError: it cannot be imported, is no torch module, or states unknown options.
    """
    made = _made(target, name)
    stated = getattr(made, "encoder_options", {})
    if not isinstance(stated, dict):
        raise UserError(
            "encoder_options is no dictionary", where=name, got=type(stated).__name__,
            expected="a dictionary such as {'side': 224, 'frames': 16}",
        )  # fmt: skip
    if untrained:
        redraw(made)
    return _wrapped(made, name, layer, dict(stated), trained=not untrained)


def _made(target: str, name: str) -> torch.nn.Module:
    import importlib

    module, _, attribute = target.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:  # an installed command does not look there by itself
        sys.path.append(here)
    try:
        made = getattr(importlib.import_module(module), attribute)()
    except Exception as error:  # whatever code of somebody else's may raise
        raise UserError(
            "the encoder cannot be made", where=name, got=f"{type(error).__name__}: {error}"[:300],
            expected="torch:MODULE:CLASS, a torch.nn.Module that needs no arguments",
            hint="run from the folder that holds the module, or install it",
        ) from error  # fmt: skip
    if not isinstance(made, torch.nn.Module):
        raise UserError("this is no torch module", where=name, got=type(made).__name__)
    if any(value.is_meta for value in made.state_dict().values()):
        raise UserError(
            "the encoder's weights were not loaded", where=name, got="tensors on the device meta",
            hint="load the weights where the module is made",
        )  # fmt: skip
    return made


_SPEC_OPTIONS = ("revision", "side", "frames", "mean", "std", "causal", "framewise")
_CALL_OPTIONS = ("argument", "frames_first", "tubelet", "by_frame")
_WORDS, _COUNTS = ("revision", "argument"), ("side", "frames", "tubelet")
_FLAGS = ("causal", "framewise", "frames_first", "by_frame")


def _check_options(options: dict[str, Any], name: str) -> None:
    unknown = sorted(set(options) - {*_SPEC_OPTIONS, *_CALL_OPTIONS})
    if unknown:
        raise UserError(
            "the encoder states options that do not exist", where=name, got=", ".join(unknown),
            expected=", ".join((*_SPEC_OPTIONS, *_CALL_OPTIONS)),
        )  # fmt: skip
    for key, value in options.items():
        right, expected = _fits(key, value)
        if not right:
            raise UserError("an option of the encoder is of another kind", where=name,
                            got=f"{key} = {value!r}"[:200], expected=expected)  # fmt: skip


def _fits(key: str, value: Any) -> tuple[bool, str]:
    if key in _WORDS:
        return isinstance(value, str), "text"
    if key in _FLAGS:
        return isinstance(value, bool), "True or False"
    if key in _COUNTS:
        counts = type(value) is int and value > 0
        return counts or (value is None and key != "tubelet"), "a whole number above zero"
    numbers = isinstance(value, tuple | list) and len(value) == 3 and all(
        isinstance(one, int | float) and np.isfinite(one) for one in value
    )  # fmt: skip
    return numbers and (key != "std" or min(value) > 0), "three numbers, those of std above zero"


def _wrapped(
    module: torch.nn.Module, name: str, layer: str, options: dict[str, Any], *, trained: bool
) -> ModuleEncoder:
    _check_options(options, name)
    if layer and not layer.lstrip("-").isdecimal():
        raise UserError("a layer is a number", where=name, got=layer)
    stated: dict[str, Any] = {"mean": IMAGENET_MEAN, "std": IMAGENET_STD, "revision": "not stated"}
    stated |= {key: options[key] for key in _SPEC_OPTIONS if key in options}
    stated |= {key: tuple(float(v) for v in stated[key]) for key in ("mean", "std")}
    spec = EncoderSpec(name=name, trained=trained, digest=parameter_digest(module), **stated)
    call = {key: options[key] for key in _CALL_OPTIONS if key in options}
    return ModuleEncoder(module, spec, layer=int(layer) if layer else None, **call)


def local_transformer(folder: Path, *, name: str, layer: str = "", untrained: bool = False) -> ModuleEncoder:
    """A ViT or V-JEPA model of HuggingFace's ``transformers`` from a local folder; nothing is downloaded.

    Raises:
        UserError: the folder holds no model that can be loaded.
        MissingDependencyError: ``transformers`` is not installed.
    """
    if not (folder / "config.json").is_file():
        raise UserError(
            "there is no model in this folder", where=str(folder), expected="config.json and weights",
            hint="nothing is downloaded: save the model with save_pretrained, and name its folder",
        )  # fmt: skip
    try:
        from transformers import AutoModel
    except ImportError as error:
        raise MissingDependencyError("transformers", extra="hf", purpose=f"the encoder {name}") from error
    try:
        model = AutoModel.from_pretrained(str(folder), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise UserError("the model cannot be loaded", where=str(folder), got=str(error)[:300]) from error
    config = model.config
    if untrained:
        redraw(model)
    side = getattr(config, "image_size", None) or getattr(config, "crop_size", None)
    tubelet = int(getattr(config, "tubelet_size", 1) or 1)
    video = hasattr(config, "tubelet_size") or "video" in str(getattr(config, "model_type", "")).lower()
    options: dict[str, Any] = {
        "side": None if side is None else int(side), "revision": f"{config.model_type} of a local folder",
        "argument": "pixel_values_videos" if "vjepa" in config.model_type else "pixel_values",
        "frames_first": video, "tubelet": tubelet, "by_frame": not video, "causal": not video,
    }  # fmt: skip
    return _wrapped(model, name, layer, options, trained=not untrained)


def _numbers(values: Any) -> F32:
    return np.ascontiguousarray(values.detach().to("cpu", torch.float32).numpy())
