"""From text to world: the one door of the world script."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fourdcb.dsl.budget import Budget, BudgetExceeded, Meter
from fourdcb.dsl.build import Builder, Built
from fourdcb.dsl.entities import Entity
from fourdcb.dsl.extract import extract_code
from fourdcb.dsl.faults import POISON, Diagnostics
from fourdcb.dsl.grammar import check_grammar, parse_tree
from fourdcb.dsl.interpreter import Interpreter
from fourdcb.dsl.source import BOM, Location, SourceText, read_source
from fourdcb.errors import Diagnostic, DiagnosticsError
from fourdcb.identity import StrPath
from fourdcb.world import World
from fourdcb.world.validate import validate

_NO_OBJECTS_HINT = 'Write Object("name", geometry="box", size=…, pos=…, vel=…, acc=…) for each thing.'


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """A valid script.

    Attributes:
        world: what it says.
        diagnostics: warnings, in source order.
        source: the Python text (the code block, when it was taken out of Markdown).
        locations: 1-based place of every stated value by dotted path (``cup``, ``cup.mass``, ``cup.vel[0]``).
        stated: what the script itself says about the clip: ``duration``, ``fps``, ``camera``,
            ``camera.width``, ``lights``, ``exposure`` … What is absent may come from the video.
        first_line: line of the file at which ``source`` begins; locations count the file's lines.
    """

    world: World
    diagnostics: tuple[Diagnostic, ...]
    source: str
    locations: Mapping[str, Location]
    stated: frozenset[str] = field(default_factory=frozenset)
    first_line: int = 1


@dataclass(slots=True)
class Reading:
    """Everything that one run of a script tells; for the edit in place."""

    text: SourceText
    tree: ast.Module
    built: Built
    variables: Mapping[str, Any]
    diagnostics: Diagnostics


def parse_script(
    source: str, *, filename: str = "<script>", base_dir: str | None = None, extract: bool = False
) -> ParsedScript:
    """Read a world script without executing it.

    Args:
        source: the text; never executed, so it may come from anywhere.
        filename: shown in diagnostics.
        base_dir: folder that mesh and texture paths are relative to. When given, the files must exist.
        extract: take the last complete script out of a chat model's answer, with a warning that says so.

    Raises:
        DiagnosticsError: with every error found, and the warnings.
    """
    text, notes = _prepared(source, filename, extract)
    reading = read(text, base_dir=base_dir, notes=notes)
    locations = {path: text.location(node) for path, node in reading.built.origins.items()}
    locations |= {name: text.location(e.node) for name, e in reading.built.entities.items()}
    return ParsedScript(
        world=reading.built.world,
        diagnostics=reading.diagnostics.ordered(),
        source=text.code,
        locations=locations,
        stated=reading.built.stated,
        first_line=text.first_line,
    )


def script_text(source: str, *, filename: str = "<script>") -> str:
    """The last complete script of a chat model's answer as text, valid or not."""
    return _prepared(source, filename, True)[0].code


def load_script(path: StrPath, *, extract: bool = False) -> ParsedScript:
    """Read a world script file; its folder is the world's ``base_dir``.

    Raises:
        UserError: when the file cannot be read as UTF-8 text.
        DiagnosticsError: when the script is not valid.
    """
    path = Path(path)
    source = read_source(path)
    return parse_script(source, filename=str(path), base_dir=str(path.parent), extract=extract)


def require_objects(script: ParsedScript, *, filename: str) -> None:
    """Refuse a script that describes no object: it may be a stage, it is no answer to a video.

    Raises:
        DiagnosticsError: with the script's warnings.
    """
    if script.world.objects:
        return
    place = script.locations.get("world")
    missing = Diagnostic(
        severity="error",
        code="no-objects",
        message="the script has no Object: nothing moves in its world.",
        file=filename,
        line=place.line if place else None,
        column=place.column if place else None,
        hint=_NO_OBJECTS_HINT,
    )
    raise DiagnosticsError((missing, *script.diagnostics))


def read(
    text: SourceText, *, base_dir: str | None = None, notes: tuple[str, ...] = (), warnings: bool = True
) -> Reading:
    """Parse, run, build and validate; ``warnings`` also looks for warnings. Raises DiagnosticsError."""
    budget = Budget()
    diagnostics = Diagnostics(text, budget.errors)
    for note in notes:
        diagnostics.add(None, note, code="extracted", severity="warning")
    meter = Meter(budget)
    tree = parse_tree(text, diagnostics, budget)
    if tree is None:
        raise DiagnosticsError(diagnostics.ordered())
    try:
        refused = check_grammar(tree, diagnostics, budget)
    except BudgetExceeded as error:
        diagnostics.add(None, f"{error.what}.", code="budget")
        raise DiagnosticsError(diagnostics.ordered()) from None
    outcome = Interpreter(meter=meter, diagnostics=diagnostics, refused=refused).run(tree)
    world_entity = _find_world(outcome.made, outcome.variables, diagnostics)
    built = Builder(outcome.made, diagnostics).build(world_entity, base_dir=base_dir or ".", source=text.code)
    _validate(built, diagnostics, files=base_dir is not None, warnings=warnings)
    if diagnostics.has_errors:
        raise DiagnosticsError(diagnostics.ordered())
    return Reading(text, tree, built, outcome.variables, diagnostics)


def _prepared(source: str, filename: str, extract: bool) -> tuple[SourceText, tuple[str, ...]]:
    source = source.removeprefix(BOM)
    block = extract_code(source) if extract else None
    if block is None:
        return SourceText(source, filename), ()
    return SourceText(block.code, filename, block.first_line, block.cuts), (block.note,)


def _find_world(made: list[Entity], variables: Mapping[str, Any], diagnostics: Diagnostics) -> Entity:
    """The world of the script, or an empty one after reporting that there is none."""
    worlds = [e for e in made if e.kind == "World"]
    for extra in worlds[1:]:
        diagnostics.add(extra.node, "a script has one World, this is another.", code="duplicate-name")
    bound = variables.get("world")
    if isinstance(bound, Entity) and bound.kind == "World":
        return bound
    if bound is not POISON:
        place = worlds[0].node if worlds else None
        message = "the script needs a top-level 'world': world = World(duration=3.0, fps=30)."
        diagnostics.add(place, message, code="no-world", hint=_world_hint(worlds, variables))
    empty = ast.Call(func=ast.Name("World"), args=[], keywords=[], lineno=1, col_offset=0)
    return worlds[0] if worlds else Entity("World", empty)


def _world_hint(worlds: list[Entity], variables: Mapping[str, Any]) -> str | None:
    """Where the world went that a script has made."""
    if not worlds:
        return None
    name = next((key for key, value in variables.items() if value is worlds[0]), None)
    if name is not None:
        return f"Call '{name[:40]}' 'world'."
    return "A function made it: return it and write world = …."


def _validate(built: Built, diagnostics: Diagnostics, *, files: bool, warnings: bool) -> None:
    """Add the world's own remarks, at the places where the values are stated."""
    complete = (
        not diagnostics.has_errors
    )  # a warning about a world that lacks its faulty things would mislead
    shown: set[tuple[Entity, str, str]] = set()
    for remark in validate(built.world, files=files, warnings=complete and warnings):
        shared = _shared_value(remark, built)
        if shared in shown:
            continue
        if shared is not None:
            shown.add(shared)
        node = _place_of(remark.path, built)
        location = diagnostics.text.location(node) if node is not None else None
        diagnostics.found.append(
            replace(
                remark,
                file=diagnostics.text.filename,
                line=location.line if location else None,
                column=location.column if location else None,
            )
        )


def _shared_value(remark: Diagnostic, built: Built) -> tuple[Entity, str, str] | None:
    """Material, field and code of a remark about a Material(…), which is told once for all its bodies."""
    path = remark.path or ""
    whole = path.partition("[")[0]
    material = built.materials.get(whole)
    return (material, path[whole.rfind(".") :], remark.code) if material is not None else None


def _place_of(path: str | None, built: Built) -> ast.expr | None:
    if path is None:
        return None
    if path in built.origins:
        return built.origins[path]
    whole = path.partition("[")[0]
    if whole in built.origins:
        return built.origins[whole]
    name = path if path in built.entities else whole.rpartition(".")[0]
    return built.entities[name].node if name in built.entities else None
