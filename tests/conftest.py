"""What runs only when everything is asked for (``pytest --full``); no test fails for a slow machine."""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("fourdcb", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fourdcb")
ONLY_WITH_FULL = {"slow": "takes long", "optional": "needs an optional extra"}


def pytest_configure() -> None:
    """Shells start background jobs deaf to Ctrl-C; the programs under test would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run slow and optional tests, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    for item in items:
        for name, why in ONLY_WITH_FULL.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=f"{why}; run with --full"))
