"""Splits that share nothing: samples that have anything in common stay together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fourdcb.arrays import F64
from fourdcb.dataset.framing import moving
from fourdcb.dataset.layout import CLEAN_NAME, REFERENCE_NAME, SAMPLE_NAME, SPLITS_NAME, VIDEO_NAME
from fourdcb.dsl import load_script
from fourdcb.errors import UserError
from fourdcb.identity import canonical_json, content_hash, file_sha256, write_output
from fourdcb.randomness import generator

NEAR = 2.0 / 255.0  # mean difference of two clips' thumbnails, below which they are the same clip
_FRAMES, _SIDE = 8, 24


def samples_of(folder: Path) -> dict[str, Path]:
    """Folders of all samples below a folder, by their relative names. Raises UserError for none."""
    found = {
        str(path.parent.relative_to(folder)): path.parent
        for path in sorted(folder.rglob(REFERENCE_NAME))
        if (path.parent / VIDEO_NAME).is_file()
    }
    if not found:
        raise UserError(
            "there is no sample here", where=str(folder), expected=f"{REFERENCE_NAME} and {VIDEO_NAME}"
        )
    return found


def sample_keys(sample: Path) -> frozenset[str]:
    """What a sample may share with another one, read from its files and not from any list.

    ``seed``: where it was drawn; ``instance``: objects and planes; ``material``: look and contact of what
    moves; ``mesh``: of a file; ``parent``: the world before lens and noise.
    """
    world = load_script(sample / REFERENCE_NAME).world
    keys = {
        f"instance:{content_hash([*world.objects, *world.planes])[:16]}",
        f"parent:{content_hash(replace(world, camera=replace(world.camera, distortion=(0.0,) * 5)))[:16]}",
    }
    for _, obj in moving(world):
        stated = (obj.material.base_color, obj.material.roughness, obj.material.metallic)
        keys.add(f"material:{content_hash([stated, obj.friction, obj.restitution])[:16]}")
        if obj.mesh is not None:
            keys.add(f"mesh:{file_sha256(Path(world.base_dir) / obj.mesh)[:16]}")
    try:
        line = json.loads((sample / SAMPLE_NAME).read_text(encoding="utf-8"))
        keys.add(f"seed:{line['recipe']['seed']}/{line['sample']}/{line['attempt']}")
    except FileNotFoundError:
        return frozenset(keys)  # a scene that no template made
    except (ValueError, KeyError, TypeError) as error:
        raise UserError("the sample's record cannot be read", where=str(sample / SAMPLE_NAME)) from error
    return frozenset(keys)


def grouped(keys: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Samples that are tied by shared keys, over any number of others, in order of their names."""
    parent = {name: name for name in keys}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    first: dict[str, str] = {}
    for name, own in keys.items():
        for key in sorted(own):
            parent[root(name)] = root(first.setdefault(key, name))
    groups: dict[str, list[str]] = defaultdict(list)
    for name in sorted(keys):
        groups[root(name)].append(name)
    return sorted(groups.values())


def make_splits(folder: Path, shares: Mapping[str, float], *, seed: int = 0) -> dict[str, list[str]]:
    """Deal whole groups to the splits and write ``splits.json``.

    Args:
        folder: with samples.
        shares: of the samples, by split.
        seed: of the order in which groups are dealt.

    Raises:
        UserError: when shares do not add up to one, or there is no sample.
    """
    if abs(sum(shares.values()) - 1.0) > 1e-6 or min(shares.values()) < 0.0:
        raise UserError("the shares must add up to 1", got=", ".join(f"{k} {v:g}" for k, v in shares.items()))
    keys = {name: sample_keys(path) for name, path in samples_of(folder).items()}
    groups = grouped(keys)
    order = generator(seed, "splits").permutation(len(groups))
    splits: dict[str, list[str]] = {name: [] for name in shares}
    for i in sorted(order, key=lambda i: -len(groups[i])):  # large groups first; the rest as dealt
        lacking = {name: share * len(keys) - len(splits[name]) for name, share in shares.items()}
        splits[max(lacking, key=lambda name: lacking[name])] += groups[i]
    splits = {name: sorted(members) for name, members in splits.items()}
    write_output(
        folder / SPLITS_NAME, canonical_json({"seed": seed, "shares": dict(shares), "splits": splits})
    )
    return splits


def read_splits(folder: Path) -> dict[str, list[str]]:
    """What :func:`make_splits` wrote. Raises UserError when it is missing or damaged."""
    path = folder / SPLITS_NAME
    try:
        splits: Any = json.loads(path.read_text(encoding="utf-8"))["splits"]
        return {str(name): [str(m) for m in members] for name, members in splits.items()}
    except FileNotFoundError as error:
        raise UserError(
            "there are no splits", where=str(path), hint="make them: fourdcb splits make"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError("the splits cannot be read", where=str(path), got=str(error)) from error


def leaks(folder: Path) -> list[str]:
    """What samples of different splits have in common, and samples that are in none or in two."""
    splits, samples = read_splits(folder), samples_of(folder)
    where: dict[str, str] = {}
    found = []
    for split, members in splits.items():
        for name in members:
            if name not in samples:
                found.append(f"{split}: {name} is not there")
            elif where.setdefault(name, split) != split:
                found.append(f"{name} is in {where[name]} and in {split}")
    found += [f"{name} is in no split" for name in samples if name not in where]
    owners: dict[str, list[str]] = defaultdict(list)
    for name in where:
        for key in sorted(sample_keys(samples[name])):
            owners[key].append(name)
    for key, names in owners.items():
        if len({where[name] for name in names}) > 1:
            found.append(f"shared {key}: {', '.join(f'{n} ({where[n]})' for n in names)}")
    return found + _near_duplicates({name: samples[name] for name in where}, where)


def _near_duplicates(samples: Mapping[str, Path], where: Mapping[str, str]) -> list[str]:
    thumbs = {name: thumbnails(path) for name, path in samples.items()}
    return [
        f"near-duplicate: {a} ({where[a]}) and {b} ({where[b]}) differ by {255 * gap:.1f} of 255"
        for a, b in combinations(thumbs, 2)
        if where[a] != where[b] and (gap := float(np.abs(thumbs[a] - thumbs[b]).mean())) < NEAR
    ]


def thumbnails(sample: Path) -> F64:
    """Eight tiny pictures of a sample's clean clip (its video where there is none), in [0, 1]."""
    import cv2

    from fourdcb.video import VideoReader

    clip = sample / CLEAN_NAME
    with VideoReader(clip if clip.is_file() else sample / VIDEO_NAME) as video:
        picked: Sequence[int] = np.linspace(0, len(video) - 1, _FRAMES).round().astype(int).tolist()
        small = [cv2.resize(video.frame(k), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA) for k in picked]
    return np.asarray(np.stack(small), dtype=np.float64) / 255.0
