"""Changes one value in the user's own text and keeps every other byte."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import numpy as np

from fourdcb.dsl.emit import quoted, text_of
from fourdcb.dsl.parse import Reading, read
from fourdcb.dsl.source import BOM, SourceText
from fourdcb.errors import DiagnosticsError, UserError
from fourdcb.world import World, with_value
from fourdcb.world.parameters import coupled_components, split_path

SIGNIFICANT_DIGITS = 12
_MAX_NAME_STEPS = 4
_NUMBER = re.compile(r"^[+-]?\s*(?P<digits>\d[\d_]*)?(\.(?P<decimals>[\d_]*))?(?P<exponent>[eE][+-]?\d+)?$")


@dataclass(frozen=True, slots=True)
class Edit:
    """A changed script.

    Attributes:
        source: the whole new text.
        in_place: whether only the literal changed; else a line at the end overrides the value.
        note: what a reader should know, or None.
    """

    source: str
    in_place: bool
    note: str | None = None


def edit_value(source: str, path: str, value: float, *, filename: str = "<script>") -> Edit:
    """The script with one number changed, every other byte kept.

    The literal that states the value is replaced in its own style. A value that is computed, shared or not
    stated gets a line at the end that overrides it. Every edit is read back: the new script's world is the
    old one with exactly this value (rounded to 12 significant digits) changed.

    Args:
        path: a path of the parameter view, ``cup.restitution`` or ``cup.vel[0]``.

    Raises:
        DiagnosticsError: when the script is not valid.
        UserError: for an unknown path or a value outside its range.
    """
    mark, code = (BOM, source[1:]) if source.startswith(BOM) else ("", source)
    reading = read(SourceText(code, filename), warnings=False)
    value = float(f"{float(value):.{SIGNIFICANT_DIGITS}g}")
    expected = with_value(reading.built.world, path, value)
    literals = _literals(reading, path)
    if literals is not None:
        changed = _replace(reading.text, literals, value)
        if gives(changed, expected, filename):
            return Edit(mark + changed, in_place=True, note=_moved_note(reading, path, literals))
    for line in _override_lines(reading, expected, path, value):
        changed = append_line(code, line)
        if gives(changed, expected, filename):
            return Edit(mark + changed, in_place=False, note=_override_note(reading, path, line))
    raise UserError("this value cannot be edited in the script", where=filename, got=path)


def gives(code: str, expected: World, filename: str) -> bool:
    """Whether a script is valid and its world is ``expected``."""
    try:
        return read(SourceText(code, filename), warnings=False).built.world == expected
    except DiagnosticsError:
        return False


# --- in place --------------------------------------------------------------------------------------------


def _literals(reading: Reading, path: str) -> list[ast.expr] | None:
    """The number literals that state the value (round shapes state one size several times), or None."""
    found = [_literal(reading, each) for each in _coupled_paths(reading.built.world, path)]
    nodes = [node for node in found if node is not None]
    return nodes if len(nodes) == len(found) else None


def _coupled_paths(world: World, path: str) -> list[str]:
    name, field_name, index = split_path(path)
    if index is None:
        return [path]
    owner = next((obj for obj in world.objects if obj.name == name), None)
    components = coupled_components(owner, field_name, index) if owner is not None else (index,)
    if isinstance(index, tuple):
        return [path]
    return [f"{name}.{field_name}[{i}]" for i in components]


def _literal(reading: Reading, path: str) -> ast.expr | None:
    origins = reading.built.origins
    _, _, index = split_path(path)
    if path in origins:
        return _number_node(origins[path], reading.tree)
    whole = origins.get(path.partition("[")[0])
    if whole is None or index is None:
        return None
    node: ast.expr = whole
    for step in index if isinstance(index, tuple) else (index,):
        items = _followed(node, reading.tree)
        if not isinstance(items, ast.List | ast.Tuple) or step >= len(items.elts):
            return None
        if any(isinstance(item, ast.Starred) for item in items.elts):
            return None
        node = items.elts[step]
    return _number_node(node, reading.tree)


def _number_node(node: ast.expr, tree: ast.Module) -> ast.expr | None:
    node = _followed(node, tree)
    inner = node.operand if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not) else node
    is_number = isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
    return node if is_number else None


def _followed(node: ast.expr, tree: ast.Module) -> ast.expr:
    """The expression behind a name that is assigned once, else the node itself."""
    for _ in range(_MAX_NAME_STEPS):
        if not isinstance(node, ast.Name):
            break
        values = [
            item.value
            for item in ast.walk(tree)
            if isinstance(item, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in item.targets)
        ]
        if len(values) != 1:
            break
        node = values[0]
    return node


def _replace(text: SourceText, nodes: list[ast.expr], value: float) -> str:
    code = text.code
    spans = sorted({text.span(node) for node in nodes}, reverse=True)
    for start, end in spans:
        code = code[:start] + format_like(value, code[start:end]) + code[end:]
    return code


def format_like(value: float, literal: str) -> str:
    """``value`` in the style of ``literal``: at least as many decimals, an exponent if it has one."""
    match = _NUMBER.match(literal)
    if match is None:
        return _plain(value)
    if match["exponent"] and value != 0:
        mantissa, _, exponent = np.format_float_scientific(value, trim="-", exp_digits=1).partition("e")
        mark = "E" if "E" in literal else "e"
        return f"{mantissa.rstrip('.')}{mark}{int(exponent)}"
    if match["decimals"] is None and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return _plain(value, decimals=len(match["decimals"] or ""))


def _plain(value: float, decimals: int = 1) -> str:
    text = repr(value)
    if "e" in text:
        return text
    whole, _, fraction = text.partition(".")
    fraction = fraction if fraction != "0" else ""
    return f"{whole}.{fraction.ljust(max(decimals, 0), '0')}"


# --- override line ---------------------------------------------------------------------------------------


def _override_lines(reading: Reading, expected: World, path: str, value: float) -> list[str]:
    """Lines that could override the value; a single component first, then the whole list."""
    name, field_name, index = split_path(path)
    target = f"{reference_to(reading, name)}.{field_name}"
    if index is None:
        return [f"{target} = {_plain(value)}"]
    items = _vector(expected, name, field_name)
    if isinstance(index, tuple):
        return [f"{target} = {text_of(items)}"]
    whole = f"{target} = [{', '.join(_plain(item) for item in items)}]"
    alone = len(_coupled_paths(expected, path)) == 1
    return [f"{target}[{index}] = {_plain(value)}", whole] if alone else [whole]


def _vector(world: World, name: str, field_name: str) -> tuple[float, ...]:
    fixed = {"camera": world.camera, "world": world}
    item = fixed.get(name) or next(i for i in (*world.bodies, *world.lights) if i.name == name)
    owner = item if hasattr(item, field_name) else getattr(item, "material", item)
    vector: tuple[float, ...] = getattr(owner, field_name)
    return vector


def reference_to(reading: Reading, name: str) -> str:
    """How a line at the end of the script reaches a thing: its variable, else by name through the world."""
    if name == "world":
        return "world"
    entity = reading.built.entities.get(name)
    if entity is not None:
        bound = [key for key, held in reading.variables.items() if held is entity]
        if bound:
            return entity.variable if entity.variable in bound else bound[0]
    return "world.camera" if name == "camera" else f"world[{quoted(name)}]"


def append_line(code: str, line: str) -> str:
    """The script with one more line at its end, in its own way of ending lines."""
    newline = "\r\n" if "\r\n" in code else "\n"
    gap = "" if not code or code.endswith(("\n", "\r")) else newline
    return f"{code}{gap}{line}{newline}"


# --- notes -----------------------------------------------------------------------------------------------


def _moved_note(reading: Reading, path: str, literals: list[ast.expr]) -> str | None:
    """Says so when the literal stands elsewhere than at the field."""
    origin = reading.built.origins.get(path) or reading.built.origins.get(path.partition("[")[0])
    if not isinstance(origin, ast.Name):
        return None
    return (
        f"{path} is stated by '{origin.id}' on line {reading.text.location(literals[0]).line}; changed there"
    )


def _override_note(reading: Reading, path: str, line: str) -> str:
    origin = reading.built.origins.get(path) or reading.built.origins.get(path.partition("[")[0])
    if origin is None:
        return f"the script does not state {path}; added '{line}' at the end"
    place = reading.text.location(origin)
    segment = " ".join(reading.text.segment(origin).split())
    shown = segment if len(segment) <= 60 else segment[:60] + "…"
    reason = (
        f"{path} comes from '{shown}' on line {place.line}, which is computed or decides other values too"
    )
    return f"{reason}; added '{line}' at the end"
