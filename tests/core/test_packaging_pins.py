"""What is reached into beyond its public interface stays at the versions that were tried."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

PYPROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
# Private to each: compiled functions' modules and run time options; the calling convention; C functions of an
# extension module; how frames say and convert their colours.
REACHED_INTO = ("numba", "llvmlite", "pybullet", "av")


@pytest.mark.parametrize("name", REACHED_INTO)
def test_only_the_tried_versions_are_installed(name: str) -> None:
    stated = {Requirement(text).name: Requirement(text) for text in PYPROJECT["project"]["dependencies"]}
    allowed, installed = stated[name].specifier, Version(metadata.version(name))
    assert installed in allowed
    major, minor = installed.release[:2]
    for other in (f"{major}.{minor + 1}", f"{major + 1}.0", f"{major}.{minor - 1}"):
        assert Version(other) not in allowed, f"{name} {other} was never tried"
