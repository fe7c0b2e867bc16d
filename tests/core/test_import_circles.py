"""No circle among the files of the packages, imports for type checkers and inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import fourdcb
import fourdcb_resources
import fourdcb_studio

PACKAGES = {p.__name__: Path(p.__file__).parent for p in (fourdcb, fourdcb_studio, fourdcb_resources)}
# Circles that still stand, each named by its first file; this list only ever gets shorter.
STANDING: frozenset[str] = frozenset()


def modules() -> dict[str, Path]:
    """Path of every module by its dotted name; a package is its ``__init__``."""
    found = {}
    for name, folder in PACKAGES.items():
        for path in folder.rglob("*.py"):
            parts = (name, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.AST, known: Mapping[str, Path]) -> Iterator[str]:
    """Modules of ours that a file names in an import, wherever that stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in known:
                    yield inner
                elif node.module in known:
                    yield node.module


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one file, and files that import themselves (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            at = stack.index(node)
            circle, stack[at:] = stack[at:], []
            if len(circle) > 1 or node in graph[node]:
                found.append(sorted(circle))

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def test_the_search_finds_circles() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": set(), "f": {"f"}}
    assert circles(graph) == [["a", "b", "c"], ["f"]]


def test_no_file_depends_on_itself() -> None:
    known = modules()
    graph = {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), known))
        for name, path in known.items()
    }
    found = {circle[0]: circle for circle in circles(graph)}
    new = {name: circle for name, circle in found.items() if name not in STANDING}
    assert not new, "\n".join(" -> ".join(circle) for circle in new.values())
    assert set(found) == STANDING, f"no circle any more: take it off the list: {STANDING - set(found)}"
