"""What a script may cost at most. Scripts are untrusted: every limit ends in one clear error."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

TIME_CHECK_INTERVAL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of one script.

    Attributes:
        source_bytes: size of the text in UTF-8.
        tokens: words and signs of the text (a rough count, made before parsing).
        nodes: syntax nodes of the script.
        depth: nesting of the syntax tree.
        steps: evaluated nodes.
        iterations: loop and comprehension passes, all loops together.
        list_length: entries of one list, dict or array.
        total_items: entries and characters that the script makes in all.
        string_length: characters of one text.
        integer_bits: bits of one integer.
        call_depth: helper functions that call each other.
        things: objects, planes, lights and materials.
        errors: diagnostics that are collected before the rest is left out.
        seconds: processor time [s] of the running thread (nothing in a script can wait), so that a busy
            machine does not refuse a sound script.
    """

    source_bytes: int = 512 * 1024
    tokens: int = 100_000
    nodes: int = 60_000
    depth: int = 60
    steps: int = 300_000
    iterations: int = 50_000
    list_length: int = 10_000
    total_items: int = 500_000
    string_length: int = 4_096
    integer_bits: int = 256
    call_depth: int = 16
    things: int = 300
    errors: int = 100
    seconds: float = 1.0


class BudgetExceeded(Exception):
    """The script costs more than it may; reading stops here."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


@dataclass(slots=True)
class Meter:
    """Counts what one script has used so far. Raises :class:`BudgetExceeded`."""

    budget: Budget
    steps: int = 0
    iterations: int = 0
    items: int = 0
    calls: int = 0
    things: int = 0
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = time.thread_time() + self.budget.seconds

    def step(self) -> None:
        """One more node is evaluated."""
        self.steps += 1
        if self.steps > self.budget.steps:
            raise BudgetExceeded(f"the script evaluates more than {self.budget.steps} expressions")
        if self.steps % TIME_CHECK_INTERVAL == 0:
            self.check_time()

    def check_time(self) -> None:
        """Stop when the time is used up."""
        if time.thread_time() > self.deadline:
            raise BudgetExceeded(f"the script takes more than {self.budget.seconds:g} s of processor time")

    def iterate(self) -> None:
        """One more loop pass."""
        self.iterations += 1
        if self.iterations > self.budget.iterations:
            raise BudgetExceeded(f"the script's loops run more than {self.budget.iterations} passes")

    def length(self, count: int) -> None:
        """A list, dict or array of ``count`` entries is about to be made."""
        self.grow(count, count)

    def grow(self, length: int, added: int) -> None:
        """A list grows by ``added`` entries to ``length``."""
        if length > self.budget.list_length:
            raise BudgetExceeded(f"a list may have at most {self.budget.list_length} entries")
        self._allocate(added)

    def text(self, count: int) -> None:
        """A text of ``count`` characters is about to be made."""
        if count > self.budget.string_length:
            raise BudgetExceeded(f"a text may have at most {self.budget.string_length} characters")
        self._allocate(count)

    def bits(self, count: int) -> None:
        """An integer of ``count`` bits is about to be made."""
        if count > self.budget.integer_bits:
            raise BudgetExceeded(f"an integer may have at most {self.budget.integer_bits} bits")

    def thing(self) -> None:
        """One more object, plane, light or material."""
        self.things += 1
        if self.things > self.budget.things:
            raise BudgetExceeded(f"the script makes more than {self.budget.things} things")

    def enter_call(self) -> None:
        """A helper function is entered."""
        self.calls += 1
        if self.calls > self.budget.call_depth:
            raise BudgetExceeded(f"helper functions call each other deeper than {self.budget.call_depth}")

    def leave_call(self) -> None:
        """A helper function is left."""
        self.calls -= 1

    def _allocate(self, count: int) -> None:
        self.items += count
        if self.items > self.budget.total_items:
            raise BudgetExceeded("the script makes too much data")
