"""Leakage-safe splits: whole groups (source video, scene, person) go to one side, never single clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fourdcb.dataset.splits import grouped
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
        raise UserError(
            "a split needs at least three groups", got=f"{len(names)}: {', '.join(names)}",
            hint="name the group of every video by its source, scene, person or day",
        )  # fmt: skip
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


_ATTEMPTS = 200


def linked_groups(groups: Sequence[str], keys: Sequence[frozenset[str]]) -> list[str]:
    """Group of every sample after all that share a group or a key, over any number of others, are joined.

    Args:
        groups: stated group of every sample, length N.
        keys: what every sample may share with others, length N.

    Returns:
        Names, length N: the first of the joined groups in alphabetical order.
    """
    ties = {f"{i:09d}": frozenset({f"group:{groups[i]}", *keys[i]}) for i in range(len(groups))}
    names = [""] * len(groups)
    for members in grouped(ties):
        rows = [int(member) for member in members]
        first = min(groups[row] for row in rows)
        for row in rows:
            names[row] = first
    return names


def split_with_all_classes(
    groups: Sequence[str],
    labels: IntArray,
    classes: Sequence[str],
    *,
    rng: np.random.Generator,
    validation: float = 0.2,
    test: float = 0.2,
) -> Split:
    """A group split whose three parts all hold every class: the first such one that is drawn.

    Groups stay whole and are dealt at random; nothing is moved to balance classes.

    Args:
        groups: of every sample, joined by :func:`linked_groups`, length N.
        labels: class indices, shape (N,).
        classes: their names.
        rng, validation, test: as for :func:`group_split`.

    Raises:
        UserError: a class lies in fewer than three groups, or no draw gave all classes to all parts.
    """
    names = np.asarray(groups)
    for index, name in enumerate(classes):
        holders = sorted(set(names[labels == index].tolist()))
        if len(holders) < 3:
            raise UserError(
                "a class cannot be in train, validation and test at once", where=f"class {name}",
                got=f"it lies in {len(holders)} group(s): {', '.join(holders[:3])}",
                expected="three groups or more",
                hint="add videos of it from other sources, merge it with another class, or leave it out",
            )  # fmt: skip
    for _ in range(_ATTEMPTS):
        split = group_split(groups, rng=rng, validation=validation, test=test)
        if all(
            len(np.unique(labels[part])) == len(classes)
            for part in (split.train, split.validation, split.test)
        ):
            return split
    counts = ", ".join(
        f"{name}: {len(set(names[labels == index].tolist()))}" for index, name in enumerate(classes)
    )
    raise UserError(
        "no split by groups gives every class to train, validation and test",
        got=f"groups of each class: {counts}; {_ATTEMPTS} draws",
        hint="add groups of the rare classes, or merge classes",
    )
