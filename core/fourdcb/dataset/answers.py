"""Wrong and honest answers by scene, a row a kind: what a judge should fail, and what it should let pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fourdcb.dsl import edit_value
from fourdcb.errors import UserError
from fourdcb.identity import StrPath

Truthfulness = Literal["honest", "wrong"]
_PLACE = "{value}"
_SCENE_KEYS = {"script", "honest", "wrong"}
_ROW_KEYS = {"values", "add", "exception"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: the truth's text with one thing said differently.

    Attributes:
        scene, name: which; ``name`` is the number's path, or what was added.
        value: in its place.
        kind: what the answer deserves.
        source: the script.
        exception: why the judge cannot yet say what the answer deserves; "" where it should.
    """

    scene: str
    name: str
    value: float
    kind: Truthfulness
    source: str
    exception: str = ""


def load_answers(path: StrPath) -> dict[str, tuple[str, tuple[Answer, ...]]]:
    """The truth's text and the answers of every scene.

    A scene is a bundled one (its folder lies beside the table), or has its ``script`` in the table. A row's
    name is the path of a number, and ``values`` stand in its place one after the other; with ``add``, a
    line that is added to the script, with the value where ``{value}`` stands.

    Raises:
        UserError: when the file is missing or malformed, or a row does not apply to its scene.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    path = Path(path)
    try:
        table = YAML(typ="safe").load(path)
    except (OSError, YAMLError) as error:
        raise UserError("cannot read the table of answers", where=str(path), got=str(error)) from error
    found: dict[str, tuple[str, tuple[Answer, ...]]] = {}
    for scene, entry in _mapping(table, str(path)).items():
        where = f"{path}: {scene}"
        entry = _mapping(entry, where, _SCENE_KEYS)
        script = entry.get("script")
        text = _bundled(path.parent / scene / "world.py") if script is None else str(script)
        answers = (
            answer
            for kind in ("honest", "wrong")
            for name, row in _mapping(entry.get(kind, {}), f"{where}.{kind}").items()
            for answer in _row(scene, text, kind, name, row, f"{where}.{kind}.{name}")
        )
        found[scene] = text, tuple(answers)
    return found


def _row(scene: str, text: str, kind: Truthfulness, name: str, row: object, where: str) -> Iterator[Answer]:
    row = {"values": row} if isinstance(row, list) else _mapping(row, where, _ROW_KEYS)
    values = row.get("values")
    if not isinstance(values, list) or not values or not all(isinstance(v, int | float) for v in values):
        raise UserError("a row needs a list of numbers", where=where, got=str(values)[:60])
    added = row.get("add")
    if added is not None and _PLACE not in str(added):
        raise UserError("an added line has a place for the value", where=where, expected=_PLACE)
    for value in map(float, values):
        if added is not None:
            source = f"{text.rstrip()}\n{str(added).replace(_PLACE, f'{value:.12g}')}\n"
        else:
            source = edit_value(text, name, value, filename=where).source
        yield Answer(
            scene=scene, name=name, value=value, kind=kind, source=source,
            exception=str(row.get("exception", "")),
        )  # fmt: skip


def _bundled(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError("there is no such scene", where=str(path), got=error.strerror) from error


def _mapping(data: object, where: str, keys: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UserError("expected a table of entries", where=where, got=type(data).__name__)
    unknown = set(data) - keys if keys is not None else set()
    if unknown:
        raise UserError("unknown entry", where=where, got=", ".join(map(str, unknown)),
                        expected=", ".join(sorted(keys or ())))  # fmt: skip
    return {str(key): value for key, value in data.items()}
