"""Which lines of two texts differ, and which line stands beside which."""

from __future__ import annotations

import difflib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextDifference:
    """Two texts line by line; lines count from 1.

    Attributes:
        left, right: lines that the other text has not, or has otherwise.
        beside: for each line of the right text the line of the left one that stands beside it.
    """

    left: frozenset[int]
    right: frozenset[int]
    beside: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many lines of the right text differ, or of the left one where the right has none of them."""
        return max(len(self.left), len(self.right))


def text_difference(left: str, right: str) -> TextDifference:
    """Compare by lines; blanks at their ends do not count."""
    lines = [[line.rstrip() for line in text.splitlines()] for text in (left, right)]
    matcher = difflib.SequenceMatcher(a=lines[0], b=lines[1], autojunk=False)
    only_left: set[int] = set()
    only_right: set[int] = set()
    beside: list[int] = []
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag != "equal":
            only_left.update(range(a + 1, a_end + 1))
            only_right.update(range(b + 1, b_end + 1))
        last = max(a_end - 1, a)
        beside += [min(a + k, last) + 1 for k in range(b_end - b)]
    return TextDifference(frozenset(only_left), frozenset(only_right), tuple(beside))
