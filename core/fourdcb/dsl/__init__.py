"""The world script: Python syntax, read with a whitelist interpreter, never executed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fourdcb.dsl.emit import emit as emit  # not later: importing the module would hide the function
from fourdcb.dsl.parse import ParsedScript as ParsedScript
from fourdcb.dsl.parse import load_script as load_script
from fourdcb.dsl.parse import parse_script as parse_script
from fourdcb.dsl.parse import require_objects as require_objects
from fourdcb.dsl.source import Location as Location
from fourdcb.dsl.source import decode_source as decode_source

if TYPE_CHECKING:
    from fourdcb.dsl.edit import Edit as Edit
    from fourdcb.dsl.edit import edit_value as edit_value
    from fourdcb.dsl.schema import schema_json as schema_json
    from fourdcb.dsl.schema import schema_markdown as schema_markdown
    from fourdcb.dsl.schema import schema_prompt as schema_prompt
    from fourdcb.dsl.schema import schema_text as schema_text

# Reading needs none of these, and most verbs only read.
_LATER = {
    "Edit": "edit",
    "edit_value": "edit",
    "schema_json": "schema",
    "schema_markdown": "schema",
    "schema_prompt": "schema",
    "schema_text": "schema",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'fourdcb.dsl' has no attribute {name!r}")
    value = getattr(import_module(f"fourdcb.dsl.{_LATER[name]}"), name)
    globals()[name] = value
    return value
