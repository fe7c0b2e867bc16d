"""The candidate's script on disk: parsed, edited in place with its comments kept, watched for changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fourdcb import dsl
from fourdcb.errors import Diagnostic, DiagnosticsError, UserError
from fourdcb.identity import write_atomic
from fourdcb.words import tr
from fourdcb_studio.session.sources import is_bundled


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedScript:
    """A script's text with values changed.

    Attributes:
        source: the new text.
        notes: remarks on values that could not be changed where they stand.
    """

    source: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScriptText:
    """A text of a script, and whether it was typed here."""

    source: str
    typed: bool
    parsed: dsl.ParsedScript


@dataclass(frozen=True, slots=True)
class _DiskState:
    mtime_ns: int
    size: int


class ScriptDocument:
    """One script file.

    Args:
        path: the file.
        typed: a text that was typed in place of the file's, which need not be valid then.

    Raises:
        UserError: when it cannot be read or is not valid.
    """

    def __init__(self, path: Path, typed: str | None = None) -> None:
        self.path = path
        on_disk, self._disk = _read(path)
        self._on_disk, self._typed = on_disk, typed is not None
        self.source = on_disk if typed is None else typed
        self.parsed = _parsed(path, self.source)

    def edited(self, values: Mapping[str, float]) -> EditedScript:
        """The text with these values. Raises UserError for a value that the script cannot hold."""
        source, notes = self.source, []
        for path, value in values.items():
            edit = dsl.edit_value(source, path, value, filename=str(self.path))
            source = edit.source
            if edit.note:
                notes.append(edit.note)
        return EditedScript(source=source, notes=tuple(notes))

    def save(self, values: Mapping[str, float], *, to: Path | None = None) -> EditedScript:
        """Write the edited script, whole or not at all; saving to itself makes it the new base.

        Raises:
            UserError: when the file changed on disk meanwhile, is an example of the product's own, or cannot
                be written.
        """
        target = to or self.path
        if is_bundled(target):
            raise UserError(
                tr("the bundled examples stay as they are"),
                where=str(target),
                hint=tr("save it under another name"),
            )
        if target == self.path and self.changed_on_disk():
            raise UserError(
                tr("the script changed on disk since it was opened"),
                where=str(self.path),
                hint=tr("reload it, or save under another name"),
            )
        edited = self.edited(values)
        try:
            write_atomic(target, edited.source)
        except OSError as error:
            raise UserError(tr("cannot write the script"), where=str(target), got=str(error)) from error
        if target == self.path:
            self.reload()
        return edited

    @property
    def proposed_path(self) -> Path:
        """Where to propose to save: beside the script, for a bundled one the current folder."""
        return Path.cwd() / self.path.name if is_bundled(self.path) else self.path

    @property
    def typed(self) -> bool:
        """Whether the text was typed here and is not on disk yet."""
        return self._typed

    @property
    def disk_text(self) -> str:
        """What the file said when it was read last."""
        return self._on_disk

    @property
    def text(self) -> ScriptText:
        """The text in force, to return to."""
        return ScriptText(self.source, self._typed, self.parsed)

    def return_to(self, text: ScriptText) -> None:
        """Put a text in force again."""
        self.source, self._typed, self.parsed = text.source, text.typed, text.parsed

    def replace(self, source: str) -> None:
        """Take another text, which :meth:`save` will write.

        Raises:
            UserError: when it is not valid; the old text stays.
        """
        self.parsed = _parsed(self.path, source)
        self._typed = self._typed or source != self.source
        self.source = source

    def changed_on_disk(self) -> bool:
        """Whether the file's text is another one than what was read; a mere touch is none."""
        try:
            stat = self.path.stat()
            if _DiskState(stat.st_mtime_ns, stat.st_size) == self._disk:
                return False
            same = self.path.read_text(encoding="utf-8", errors="replace") == self._on_disk
        except OSError:
            return False
        if same:
            self._disk = _DiskState(stat.st_mtime_ns, stat.st_size)
        return not same

    def text_on_disk(self) -> str:
        """What the file says now; what was read last where it cannot be read."""
        try:
            return _read(self.path)[0]
        except UserError:
            return self._on_disk

    def accept_disk(self) -> None:
        """Somebody else's change is known: saving writes over it."""
        self._on_disk, self._disk = _read(self.path)

    def reload(self) -> None:
        """Read the file again. Raises UserError and keeps the old text when it is not valid."""
        source, disk = _read(self.path)
        self.parsed = _parsed(self.path, source)
        self.source = self._on_disk = source
        self._disk, self._typed = disk, False


class BrokenScript:
    """A script that is not valid: its text and what is wrong with it.

    Args:
        path: the file.
        error: why it cannot be opened.
    """

    def __init__(self, path: Path, error: UserError) -> None:
        self.path, self.error = path, error
        try:
            self.source, self._disk = _read(path)
        except UserError:
            self.source, self._disk = "", _DiskState(0, 0)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong, with places where they are known."""
        if isinstance(self.error, DiagnosticsError):
            return self.error.diagnostics
        return (Diagnostic(severity="error", code="unreadable", message=str(self.error)),)

    def changed_on_disk(self) -> bool:
        """Whether somebody wrote the file since."""
        try:
            stat = self.path.stat()
        except OSError:
            return False
        return _DiskState(stat.st_mtime_ns, stat.st_size) != self._disk


def _read(path: Path) -> tuple[str, _DiskState]:
    try:
        stat = path.stat()
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(tr("cannot read the script"), where=str(path), got=error.strerror) from error
    try:
        source = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(tr("the script is not UTF-8 text"), where=str(path), got=str(error)) from error
    return source, _DiskState(stat.st_mtime_ns, stat.st_size)


def _parsed(path: Path, source: str) -> dsl.ParsedScript:
    return dsl.parse_script(source, filename=str(path), base_dir=str(path.parent), extract=True)
