"""The documentation stays true: links lead somewhere, examples run, verbs and keys exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from fourdcb.dsl import parse_script

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "resources" / "fourdcb_resources" / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", flags=re.S | re.M)


def _blocks(page: Path, language: str) -> list[str]:
    return [text for name, text in _FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.endswith("studio.png"):  # a screenshot, made from the running app
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", [ROOT / "README.md", DOCS / "world-script.md"], ids=lambda page: page.name)
def test_example_worlds_are_valid(page: Path) -> None:
    worlds = [text for text in _blocks(page, "python") if "World(" in text]
    assert worlds
    for text in worlds:
        assert parse_script(text).world.objects


def test_command_lines_name_verbs_and_options_that_exist() -> None:
    from fourdcb.cli.app import build_app

    verbs = typer.main.get_command(build_app()).commands  # type: ignore[attr-defined]
    lines = [
        line.split("#")[0].replace("\\\n", " ")
        for page in PAGES
        for block in _blocks(page, "sh")
        for line in block.replace("\\\n", " ").splitlines()
        if line.startswith("fourdcb ")
    ]
    assert len(lines) > 10
    for line in lines:
        verb, *words = line.split()[1:]
        command = getattr(verbs[verb], "commands", {}).get(words[0] if words else "", verbs[verb])
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options, line
    told = {line.split()[1] for line in lines}
    assert set(verbs) <= told


def test_metric_table_matches_the_shipped_thresholds() -> None:
    from fourdcb.metrics import load_criteria

    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    criteria = load_criteria(None)
    for name, limit in (("delta_pos", "0.02"), ("energy_error", "8 %"), ("brdf_error", "0.15")):
        row = next(line for line in page.splitlines() if f"`{name}`" in line)
        assert limit in row
        threshold = criteria.thresholds[name].value
        assert threshold == pytest.approx(float(limit.rstrip(" %")) / (100 if "%" in limit else 1))


def test_help_lists_every_verb() -> None:
    from fourdcb.cli.app import build_app

    output = CliRunner().invoke(build_app(), ["--help"]).output
    for verb in ("eval", "check", "report", "examples"):
        assert verb in output
