"""The world script: Python syntax, read with a whitelist interpreter, never executed."""

from fourdcb.dsl.edit import Edit as Edit
from fourdcb.dsl.edit import edit_value as edit_value
from fourdcb.dsl.emit import emit as emit
from fourdcb.dsl.parse import ParsedScript as ParsedScript
from fourdcb.dsl.parse import load_script as load_script
from fourdcb.dsl.parse import parse_script as parse_script
from fourdcb.dsl.schema import schema_json as schema_json
from fourdcb.dsl.schema import schema_markdown as schema_markdown
from fourdcb.dsl.schema import schema_prompt as schema_prompt
from fourdcb.dsl.schema import schema_text as schema_text
from fourdcb.dsl.source import Location as Location
from fourdcb.dsl.source import decode_source as decode_source
