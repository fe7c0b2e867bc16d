"""``fourdcb schema``: the language of the world script, generated from the world's own types."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class SchemaFormat(StrEnum):
    """What ``fourdcb schema`` can print."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    PROMPT = "prompt"


def schema(
    layout: Annotated[
        SchemaFormat,
        typer.Option("--format", help="text, markdown, json (JSON Schema) or prompt (to hand to a model)."),
    ] = SchemaFormat.TEXT,
) -> None:
    """Print the grammar of the world script and every field with its type, unit, range and default."""
    from fourdcb.dsl import schema_json, schema_markdown, schema_prompt, schema_text

    writers = {
        SchemaFormat.TEXT: schema_text,
        SchemaFormat.MARKDOWN: schema_markdown,
        SchemaFormat.JSON: schema_json,
        SchemaFormat.PROMPT: schema_prompt,
    }
    print(writers[layout]().rstrip("\n"))
