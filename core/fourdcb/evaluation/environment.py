"""Provenance records: which files went in, on which machine and versions."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from fourdcb import __version__
from fourdcb.identity import file_sha256
from fourdcb.video import VideoInfo

_PACKAGES = ("numpy", "numba", "pybullet", "av", "opencv-python-headless", "scipy")


def input_record(path: Path) -> dict[str, Any]:
    """Path as given and SHA-256 of a file. Raises OSError when it cannot be read."""
    return {"path": str(path), "sha256": file_sha256(path)}


def video_record(info: VideoInfo) -> dict[str, Any]:
    """What is known of a video file beside its pictures, JSON-safe."""
    known = asdict(info)
    known["frames"] = known.pop("n_frames")
    del known["times"]
    return known


def environment_record() -> dict[str, Any]:
    """Versions and machine, JSON-safe."""
    return {
        "fourdcb": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "packages": {name: metadata.version(name) for name in _PACKAGES},
    }
