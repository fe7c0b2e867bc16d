"""What runs only when everything is asked for: ``pytest --full``."""

from __future__ import annotations

import pytest

ONLY_WITH_FULL = {"slow": "takes long", "optional": "needs an optional extra"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run slow and optional tests, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    for item in items:
        for name, why in ONLY_WITH_FULL.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=f"{why}; run with --full"))
