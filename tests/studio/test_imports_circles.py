"""No circle among the files of the Studio, imports for type checking included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import fourdcb_studio


def imports(root: Path) -> dict[str, set[str]]:
    """What every module of a package imports from the same package, wherever in the file."""
    files = {_name(path, root): path for path in root.rglob("*.py")}
    return {name: _imported(path, files.keys()) - {name} for name, path in files.items()}


def _name(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(path: Path, known: object) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                found.add(module if module in known else node.module)  # type: ignore[operator]
    return {name for name in found if name in known}  # type: ignore[operator]


def test_no_file_stands_in_a_circle() -> None:
    graph = imports(Path(fourdcb_studio.__file__).parent)
    assert len(graph) > 100
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_a_circle_through_a_type_checking_import_is_seen(tmp_path: Path) -> None:
    package = tmp_path / "round"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from round.b import B\n")
    (package / "b.py").write_text(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from round import a\nclass B: ...\n"
    )
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(imports(package)).prepare()
