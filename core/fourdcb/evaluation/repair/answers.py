"""Answers with several things wrong at once, made of the bundled scenes' truths, and their repair."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from fourdcb.dataset.layout import REFERENCE_NAME
from fourdcb.dsl import edit_value, parse_script
from fourdcb.dsl.source import SourceText
from fourdcb.dsl.structure import remove_thing, set_field
from fourdcb.errors import UserError
from fourdcb.evaluation.repair.loop import Repair, repair
from fourdcb.evaluation.repair.stage import RepairStage
from fourdcb.identity import StrPath
from fourdcb.metrics import load_criteria
from fourdcb.physics import Engine, make_engine
from fourdcb.progress import NullProgress, Progress

Kind = Literal["strong", "middling", "weak"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_KEYS = {"scene", "kind", "set", "fields", "lacks", "without", "adds"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A truth script with many things said wrong, as a model of some kind says them.

    Attributes:
        name, scene, kind: strong answers have numbers slightly off, middling ones several clearly, weak ones
            lack things or mistake shapes.
        set: wrong values by parameter path.
        fields: wrong words and orientations, ``ball.geometry``: box.
        lacks: fields that the script does not state, ``ball.acc``.
        without: names of bodies and lights that it lacks.
        adds: lines at its end.
    """

    name: str
    scene: str
    kind: Kind
    set: dict[str, float] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()

    def source(self, truth: str) -> str:
        """The truth's text, spoiled.

        Raises:
            UserError: when the scene's script has no such thing.
        """
        for path, value in self.set.items():
            truth = edit_value(truth, path, value).source
        for path, value in self.fields.items():
            owner, _, name = path.partition(".")
            truth = set_field(truth, owner, name, tuple(value) if isinstance(value, list) else value)
        for name in self.without:
            truth = remove_thing(truth, name)
        if self.adds:
            truth = "\n".join([truth.rstrip(), *self.adds]) + "\n"
        for path in self.lacks:
            truth = _unstated(truth, path)
        return truth


@dataclass(frozen=True, slots=True)
class Mended:
    """One answer and its repair."""

    answer: Answer
    repair: Repair


def load_answers(path: StrPath) -> tuple[Answer, ...]:
    """Rows of a YAML file, by name. Raises UserError when it is malformed."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        table = YAML(typ="safe").load(Path(path))
    except (OSError, YAMLError) as error:
        raise UserError("cannot read the table of answers", where=str(path), got=str(error)) from error
    if not isinstance(table, dict):
        raise UserError("the table of answers is not a mapping", where=str(path))
    return tuple(_answer(str(name), entry, f"{path}: {name}") for name, entry in table.items())


def _answer(name: str, entry: object, where: str) -> Answer:
    if not isinstance(entry, dict) or not {"scene", "kind"} <= set(entry) <= _KEYS:
        raise UserError("a row names scene and kind", where=where, expected=", ".join(sorted(_KEYS)))
    if entry["kind"] not in KINDS:
        raise UserError("no such kind", where=where, got=str(entry["kind"]), expected=", ".join(KINDS))
    lists = {key: tuple(map(str, entry.get(key, ()))) for key in ("lacks", "without", "adds")}
    values = {str(path): float(value) for path, value in entry.get("set", {}).items()}
    return Answer(
        name=name, scene=str(entry["scene"]), kind=entry["kind"], set=values,
        fields=dict(entry.get("fields", {})), **lists,
    )  # fmt: skip


def mend_answers(
    root: StrPath, answers: Sequence[Answer], *, progress: Progress | None = None
) -> Iterator[Mended]:
    """Repair all answers, scene by scene.

    Args:
        root: folder of the scene folders.
    """
    told = progress or NullProgress()
    told.start("repairing", len(answers))
    with make_engine() as engine:
        for scene in dict.fromkeys(answer.scene for answer in answers):
            folder = Path(root) / scene
            truth = (folder / REFERENCE_NAME).read_text(encoding="utf-8")
            stage = _stage(truth, folder, engine)
            for answer in (each for each in answers if each.scene == scene):
                source = answer.source(truth)
                yield Mended(answer, repair(source, stage, filename=answer.name, base_dir=str(folder)))
                told.advance()


def _stage(truth: str, folder: Path, engine: Engine) -> RepairStage:
    world = parse_script(truth, filename=str(folder / REFERENCE_NAME), base_dir=str(folder)).world
    return RepairStage(world, load_criteria(), engine)


def _unstated(source: str, path: str) -> str:
    """The script without one keyword of the statement that makes a thing."""
    owner, _, name = path.partition(".")
    text = SourceText(source, "<answer>")
    for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)):
        first = call.args[0] if call.args else None
        if not isinstance(first, ast.Constant) or first.value != owner:
            continue
        for keyword in (k for k in call.keywords if k.arg == name):
            start, end = text.span(keyword.value)
            start = source.rindex(name, 0, start)
            return source[:start] + source[end:].lstrip(",").lstrip()
    raise UserError("the script does not state this", got=path)
