"""Edits of a world's numbers as commands: undo, redo, snapshots, changed marks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from fourdcb.errors import UserError
from fourdcb.words import tr
from fourdcb.world import Parameter, World, parameters, with_value
from fourdcb.world.fields import Stage

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A world that is kept under a name, and the script's text that says it."""

    world: World
    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One undoable step: the edited values before and after, and what it is called."""

    before: Values
    after: Values
    label: str


class ParameterSet:
    """A base world and the values that were edited on top of it.

    A drag is one step however many moves it has. Values equal to the base's are no edits.

    Args:
        world: what the script on disk says.
    """

    def __init__(self, world: World) -> None:
        self._base = world
        known = parameters(world)
        self._file_values = {p.path: p.value for p in known}
        self._stages: dict[str, Stage] = {p.path: p.stage for p in known}
        self._values: dict[str, float] = {}
        self._world = world
        self._undo: list[Step] = []
        self._redo: list[Step] = []
        self._drag: tuple[str, dict[str, float]] | None = None
        self._snapshots: dict[str, Snapshot] = {}

    # -- reading -------------------------------------------------------------------------------------
    @property
    def base(self) -> World:
        """The world of the script on disk."""
        return self._base

    @property
    def world(self) -> World:
        """The base with all edits applied."""
        return self._world

    @property
    def values(self) -> Values:
        """The edited values by path."""
        return dict(self._values)

    @property
    def file_values(self) -> Values:
        """The values of the script on disk by path."""
        return self._file_values

    @property
    def changed(self) -> frozenset[str]:
        """Paths whose value differs from the file's."""
        return frozenset(self._values)

    @property
    def dragging(self) -> str | None:
        """Path of the slider that is held, or None."""
        return self._drag[0] if self._drag else None

    @property
    def undo_label(self) -> str | None:
        """What undo would take back, or None."""
        return self._undo[-1].label if self._undo else None

    @property
    def redo_label(self) -> str | None:
        """What redo would bring back, or None."""
        return self._redo[-1].label if self._redo else None

    @property
    def depth(self) -> int:
        """How many steps undo can take back."""
        return len(self._undo)

    @property
    def snapshots(self) -> tuple[str, ...]:
        """Names of the snapshots, oldest first."""
        return tuple(self._snapshots)

    def parameters(self) -> tuple[Parameter, ...]:
        """The current world's parameters."""
        return parameters(self._world)

    def snapshot_world(self, name: str) -> World:
        """The world of a snapshot. Raises KeyError."""
        return self._snapshots[name].world

    def snapshot_text(self, name: str) -> str:
        """The script's text of a snapshot. Raises KeyError."""
        return self._snapshots[name].text

    def edits_of(self, name: str) -> Values:
        """The values that a snapshot has otherwise than the script on disk; {} where there is none."""
        if name not in self._snapshots:
            return {}
        known = parameters(self._snapshots[name].world)
        return {p.path: p.value for p in known if self._file_values.get(p.path) not in (None, p.value)}

    # -- editing -------------------------------------------------------------------------------------
    def change(self, path: str, value: float) -> Stage:
        """One move of a drag. Returns the first stage that must run again.

        Raises:
            UserError: for an unknown path or a value out of range; nothing changes then.
        """
        world = with_value(self._world, path, value)
        if self._drag is None or self._drag[0] != path:
            self._close_drag()
            self._drag = (path, dict(self._values))
        self._put(path, value)
        # Back at the file's value the base itself returns: its unstated defaults are not stated ones.
        self._world = world if path in self._values else self._applied(self._values)
        return self._stages[path]

    def commit(self, path: str, value: float) -> Stage:
        """The end of a drag, or a typed value: one undoable step.

        Raises:
            UserError: as in :meth:`change`.
        """
        stage = self.change(path, value)
        self._close_drag()
        return stage

    def reset(self, path: str) -> bool:
        """Return one parameter to the file's value; whether anything changed."""
        remaining = {p: v for p, v in self._values.items() if p != path}
        return self._apply_step(remaining, f"reset {path}")

    def reset_all(self) -> bool:
        """Return every parameter to the file's value, as one step; whether anything changed."""
        return self._apply_step({}, "reset all")

    def set_all(self, values: Values, *, label: str) -> bool:
        """Replace all edits by these, as one step. Raises UserError when one is not legal."""
        kept = {p: v for p, v in values.items() if self._file_values.get(p) != v}
        return self._apply_step(kept, label)

    def undo(self) -> bool:
        """Take back the last step; whether there was one."""
        self._close_drag()
        if not self._undo:
            return False
        step = self._undo.pop()
        self._redo.append(step)
        self._restore(step.before)
        return True

    def redo(self) -> bool:
        """Bring back the last step that was undone; whether there was one."""
        self._close_drag()
        if not self._redo:
            return False
        step = self._redo.pop()
        self._undo.append(step)
        self._restore(step.after)
        return True

    def take_snapshot(self, name: str | None = None, *, text: str = "") -> str:
        """Remember the current world, and its text, under a name; returns the name."""
        if name is None:
            numbers = itertools.count(len(self._snapshots) + 1)
            name = next(n for k in numbers if (n := tr("snapshot {number}", number=k)) not in self._snapshots)
        self._snapshots[name] = Snapshot(self._world, text)
        return name

    def rename_snapshot(self, name: str, new: str) -> None:
        """Call a snapshot otherwise; it keeps its place.

        Raises:
            KeyError: there is none of that name.
            UserError: the new name is taken, or none.
        """
        new = new.strip()
        if not new or new == "saved" or (new != name and new in self._snapshots):
            raise UserError(tr("a snapshot needs a name of its own"), got=new or "nothing")
        kept = {new if key == name else key: value for key, value in self._snapshots.items()}
        if name not in self._snapshots:
            raise KeyError(name)
        self._snapshots.clear()
        self._snapshots.update(kept)

    def drop_snapshot(self, name: str) -> None:
        """Forget a snapshot. Raises KeyError."""
        del self._snapshots[name]

    def apply_snapshot(self, name: str) -> bool:
        """Return to a snapshot, as one undoable step. Raises KeyError."""
        values = {p.path: p.value for p in parameters(self.snapshot_world(name))}
        return self.set_all(values, label=f"apply {name}")

    def drop_redo(self) -> None:
        """What was undone cannot be brought back any more."""
        self._redo.clear()

    def on_other_text(self, world: World) -> ParameterSet:
        """Edits of another text of the same script: none yet, the snapshots are the same."""
        fresh = ParameterSet(world)
        fresh._snapshots = self._snapshots
        return fresh

    def rebase(self, world: World, *, keep: Values | None = None) -> None:
        """Another script is on disk: start over from it, with the edits in ``keep``.

        Raises:
            UserError: when an edit in ``keep`` is not legal there; nothing changes then.
        """
        fresh = ParameterSet(world)
        if keep:
            fresh.set_all(keep, label="kept edits")
        self._base, self._file_values, self._stages = fresh._base, fresh._file_values, fresh._stages
        self._values, self._world = fresh._values, fresh._world
        self._undo, self._redo, self._drag = [], [], None

    # -- inside --------------------------------------------------------------------------------------
    def _put(self, path: str, value: float) -> None:
        if self._file_values.get(path) == value:
            self._values.pop(path, None)
        else:
            self._values[path] = value

    def _close_drag(self) -> None:
        if self._drag is not None:
            path, before = self._drag
            self._drag = None
            self._record(before, path)

    def _record(self, before: dict[str, float], label: str) -> None:
        if before != self._values:
            self._undo.append(Step(before, dict(self._values), label))
            self._redo.clear()

    def _apply_step(self, values: dict[str, float], label: str) -> bool:
        self._close_drag()
        if values == self._values:
            return False
        before = dict(self._values)
        self._restore(values)
        self._record(before, label)
        return True

    def _restore(self, values: Values) -> None:
        self._world = self._applied(values)
        self._values = dict(values)

    def _applied(self, values: Values) -> World:
        world = self._base
        for path, value in values.items():
            world = with_value(world, path, value)
        return world
