"""Encoders by name. None is loaded before it is asked for, and none downloads anything."""

from __future__ import annotations

from pathlib import Path

from fourdcb.errors import MissingDependencyError, UserError
from fourdcb.probes.encoders.contract import Encoder

KINDS = (
    "colour_motion",
    "efficientnet_lite0[@BLOCK]",
    "random[:NAME]",
    "torch:MODULE:CLASS[@LAYER]",
    "hf:FOLDER[@LAYER]",
)


def encoder_of(name: str) -> Encoder:
    """The encoder of that name.

    ``NAME@LAYER`` reads a layer inside of it. ``random`` is efficientnet_lite0 untrained, ``random:NAME``
    any other one with its weights drawn anew.

    Raises:
        UserError: there is no such encoder or layer, or its weights are missing.
        MissingDependencyError: it needs an extra that is not installed.
    """
    base, _, layer = name.partition("@")
    if base == "colour_motion":
        if layer:
            raise UserError("colour_motion has no layers", got=name)
        from fourdcb.probes.encoders.colour_motion import ColourMotionEncoder

        return ColourMotionEncoder()
    untrained = base == "random" or base.startswith("random:")
    inner = base.removeprefix("random").removeprefix(":") or "efficientnet_lite0" if untrained else base
    known = inner == "efficientnet_lite0" or inner.startswith(("torch:", "hf:"))
    if not known:
        raise UserError("there is no such encoder", got=name, expected=", ".join(KINDS))
    _require_torch(name)
    if inner == "efficientnet_lite0":
        from fourdcb.probes.encoders.efficientnet import efficientnet_lite0

        return efficientnet_lite0(name=name, layer=layer, untrained=untrained)
    from fourdcb.probes.encoders.loading import local_transformer, own_module

    if inner.startswith("torch:"):
        return own_module(inner.removeprefix("torch:"), name=name, layer=layer, untrained=untrained)
    folder = Path(inner.removeprefix("hf:"))
    return local_transformer(folder, name=name, layer=layer, untrained=untrained)


def _require_torch(name: str) -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError("torch", extra="probes", purpose=f"the encoder {name}") from error
