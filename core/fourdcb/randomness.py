"""The seed tree: children by name path from one root seed, independent of call order."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, path: str = "") -> np.random.Generator:
    """Random generator of one node of the seed tree.

    Args:
        seed: root seed, any integer ≥ 0 (0 is as valid as any other).
        path: name path such as ``"table_slide/000/degrade"``; the same path gives the same stream
            whatever else was drawn before.

    Raises:
        ValueError: when ``seed`` is negative.
    """
    if seed < 0:
        raise ValueError(f"seed must be >= 0, got {seed}")
    digest = hashlib.sha256(path.encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=words)))
