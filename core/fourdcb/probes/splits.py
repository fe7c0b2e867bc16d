"""Leakage-safe splits: whole groups (source video, scene, person) go to one side, never single clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Sample indices of the three parts, each sorted, shape (n,)."""

    train: IntArray
    validation: IntArray
    test: IntArray

    def verify(self, groups: Sequence[str]) -> None:
        """Raises UserError when a group lies in two parts or a sample is missing or repeated."""
        everything = np.concatenate([self.train, self.validation, self.test])
        if len(everything) != len(groups) or len(np.unique(everything)) != len(groups):
            raise UserError(
                "the split does not hold every sample exactly once",
                got=f"{len(everything)} entries, {len(np.unique(everything))} distinct",
                expected=f"{len(groups)}",
            )
        seen: dict[str, str] = {}
        for part, indices in (("train", self.train), ("validation", self.validation), ("test", self.test)):
            for index in indices:
                group = groups[int(index)]
                if seen.setdefault(group, part) != part:
                    raise UserError(
                        "a group leaks across the split", where=group, got=f"{seen[group]} and {part}"
                    )


def group_split(
    groups: Sequence[str],
    *,
    rng: np.random.Generator,
    validation: float = 0.2,
    test: float = 0.2,
) -> Split:
    """Split by whole groups, close to the wanted shares of samples.

    Groups are drawn in random order; each goes to the part that is furthest below its share.

    Args:
        groups: group key of every sample, length N.
        rng: source of the order.
        validation, test: wanted shares of the samples, each > 0, together < 1.

    Raises:
        UserError: with fewer than three groups, or shares that leave nothing for training.
    """
    names = sorted(set(groups))
    if len(names) < 3:
        raise UserError("a split needs at least three groups", got=str(len(names)))
    if validation <= 0 or test <= 0 or validation + test >= 1:
        raise UserError(
            "shares must be positive and leave a part for training", got=f"{validation} and {test}"
        )
    members = {name: np.flatnonzero(np.asarray(groups) == name) for name in names}
    wanted = np.array([1 - validation - test, validation, test]) * len(groups)
    filled: list[list[IntArray]] = [[], [], []]
    counts = np.zeros(3)
    for position, which in enumerate(rng.permutation(len(names))):
        indices = members[names[which]]
        # The first three groups seed the three parts, so that none is ever empty.
        part = position if position < 3 else int(np.argmax((wanted - counts) / wanted))
        filled[part].append(indices)
        counts[part] += len(indices)
    train, validation_part, test_part = (np.sort(np.concatenate(parts)) for parts in filled)
    return Split(train=train, validation=validation_part, test=test_part)
