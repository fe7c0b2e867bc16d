"""HDR transfer functions and wide gamuts to sRGB, by one stated method without tone mapping."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fourdcb.arrays import F32
from fourdcb.conventions import linear_from_srgb, srgb_from_linear

Transfer = Literal["sdr", "pq", "hlg"]
Primaries = Literal["bt709", "bt2020", "dci_p3", "display_p3"]

# ITU-R BT.2408: diffuse white in HDR [cd/m²]; it becomes sRGB white.
REFERENCE_WHITE = 203.0
_HLG_PEAK, _HLG_GAMMA = 1000.0, 1.2  # the nominal display of BT.2100, table 5

# CIE xy of red, green, blue and white.
_CHROMATICITIES: dict[Primaries, tuple[tuple[float, float], ...]] = {
    "bt709": ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), (0.3127, 0.3290)),
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), (0.3127, 0.3290)),
    "dci_p3": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351)),
    "display_p3": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.3127, 0.3290)),
}


def srgb_from_wide(signal: F32, *, transfer: Transfer, primaries: Primaries) -> NDArray[np.uint8]:
    """8-bit sRGB from coded R'G'B' in [0, 1], shape (H, W, 3).

    PQ is decoded to display light by BT.2100's EOTF; HLG by its inverse OETF and the OOTF of a display of
    1000 cd/m² (gamma 1.2). Light is divided by the reference white of BT.2408, 203 cd/m², carried to BT.709
    primaries and clipped to [0, 1]: diffuse colours come out as they were, highlights above the reference
    white become white. Signals of ordinary range are taken as sRGB-coded.
    """
    if transfer == "sdr" and primaries == "bt709":
        return np.rint(signal * 255.0).astype(np.uint8)
    light = _hlg_light(signal, primaries) if transfer == "hlg" else _looked_up(signal, transfer)
    if primaries != "bt709":
        light = light @ _to_bt709(primaries).T
    return _srgb_codes()[np.rint(np.sqrt(np.clip(light, 0.0, 1.0)) * _FINE).astype(np.uint16)]


_FINE = 65535  # entries of tables; that of sRGB goes by the root of light, which is fine where sRGB is steep


def _looked_up(signal: F32, transfer: Transfer) -> F32:
    return _decoding(transfer)[np.rint(np.clip(signal, 0.0, 1.0) * _FINE).astype(np.uint16)]


@cache
def _decoding(transfer: Transfer) -> F32:
    """Linear light by 16-bit code: over the reference white for PQ, scene light for HLG."""
    code = np.arange(_FINE + 1) / _FINE
    return {"pq": _pq_light, "hlg": _hlg_scene, "sdr": linear_from_srgb}[transfer](code).astype(np.float32)


def _pq_light(code: NDArray[np.float64]) -> NDArray[np.float64]:
    """EOTF of SMPTE ST 2084 (BT.2100, table 4), over the reference white."""
    m1, m2 = 2610 / 16384, 2523 / 4096 * 128
    c1, c2, c3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    root = code ** (1 / m2)
    return 10000.0 / REFERENCE_WHITE * (np.maximum(root - c1, 0.0) / (c2 - c3 * root)) ** (1 / m1)


def _hlg_scene(code: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inverse OETF of BT.2100, table 5: scene light in [0, 1]."""
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    return np.where(code <= 0.5, code**2 / 3.0, (np.exp((code - c) / a) + b) / 12.0)


def _hlg_light(signal: F32, primaries: Primaries) -> F32:
    """Display light over the reference white, by the OOTF of BT.2100, table 5."""
    scene = _looked_up(signal, "hlg")
    luminance = scene @ _xyz_from(primaries)[1].astype(np.float32)
    gain = np.maximum(luminance, 1e-9) ** np.float32(_HLG_GAMMA - 1.0)
    return scene * gain[..., None] * np.float32(_HLG_PEAK / REFERENCE_WHITE)


@cache
def _srgb_codes() -> NDArray[np.uint8]:
    light = (np.arange(_FINE + 1) / _FINE) ** 2
    return np.rint(255.0 * srgb_from_linear(light)).astype(np.uint8)


@cache
def _to_bt709(primaries: Primaries) -> F32:
    """Linear light of other primaries to BT.709's; white stays white."""
    matrix = np.linalg.inv(_xyz_from("bt709")) @ _adapted(primaries)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True), dtype=np.float32)


def _adapted(primaries: Primaries) -> NDArray[np.float64]:
    """XYZ under D65; another white is adapted by scaling in the Bradford cone space."""
    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    own, target = (bradford @ _xyz_from(name).sum(axis=1) for name in (primaries, "bt709"))
    return np.linalg.inv(bradford) @ np.diag(target / own) @ bradford @ _xyz_from(primaries)


@cache
def _xyz_from(primaries: Primaries) -> NDArray[np.float64]:
    """XYZ from linear RGB, luminance of white 1 (SMPTE RP 177)."""
    columns = np.array([[x / y, 1.0, (1 - x - y) / y] for x, y in _CHROMATICITIES[primaries]]).T
    return columns[:, :3] * np.linalg.solve(columns[:, :3], columns[:, 3])
