"""What people call axes and metrics: in terminals, in pages and in windows alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fourdcb.metrics.result import Axis

AXIS_TITLES: Mapping[Axis, str] = {
    "geometry": "Geometry",
    "physics": "Physics",
    "material_light": "Material-light",
    "time": "Time",
}
# What an axis stands for, where there is a whole line for it.
AXIS_MEANINGS: Mapping[Axis, str] = {
    "geometry": "Geometric fidelity",
    "physics": "Physical consistency",
    "material_light": "Material-light",
    "time": "Temporal robustness",
}
# Title and symbol; a metric of pictures has no symbol of its own.
_METRICS: Mapping[str, tuple[str, str]] = {
    "delta_pos": ("Position error", "Δ_pos"),
    "delta_rot": ("Rotation error", "Δ_rot"),
    "delta_scale": ("Size and shape error", "Δ_scale"),
    "energy_error": ("Energy error", "Energy_Error"),
    "collision_accuracy": ("Collision accuracy", "Collision_Accuracy"),
    "brdf_error": ("Surface error", "BRDF_Error"),
    "light_drift": ("Light drift", "Light_Drift"),
    "light_offset": ("Light offset", "Light_Offset"),
    "shadow_error": ("Shadow error", "Shadow_Error"),
    "appearance_error": ("Appearance error", "Appearance_Error"),
    "drift_rate": ("Drift rate", "Drift_Rate"),
    "replay_fps": ("Replay rate", "Replay_FPS"),
    "psnr": ("PSNR", ""),
    "ssim": ("SSIM", ""),
    "silhouette_iou": ("Silhouette overlap", ""),
    "difference": ("Mean difference", ""),
    "flow_error": ("Motion error", ""),
}

# Metrics that are shares of something, and told in percent.
SHARES = frozenset({"delta_scale", "energy_error", "collision_accuracy", "silhouette_iou"})
# Metrics of brightness, 0 … 1, that are told in steps of a picture, of 255.
GREY_LEVELS = frozenset({"difference"})
_LISTED = 2
UNIT_SIGNS = {"deg": "°", "1/s": "fps"}


def metric_title(name: str) -> str:
    """A metric in words, such as ``Position error``; unknown ones are spelled out."""
    return _METRICS[name][0] if name in _METRICS else name.replace("_", " ").capitalize()


def metric_symbol(name: str) -> str:
    """A metric in one word, such as ``Δ_pos``; "" where it has none."""
    return _METRICS[name][1] if name in _METRICS else ""


def listed(names: Sequence[str], what: str = "", *, most: int = _LISTED) -> str:
    """``a``, ``a and b``, ``a, b and c``, ``a, b and 3 more``, with ``what`` they are at the end.

    Args:
        most: so many are named when there are at least two more.
    """
    shown = list(names) if len(names) <= most + 1 else list(names[:most])
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} more {what}".rstrip())
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
