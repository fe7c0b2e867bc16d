"""The one door to a model: a name becomes an entry, an entry becomes a runner."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fourdcb.errors import UserError
from fourdcb.evaluation.api import WorldModelRunner
from fourdcb.evaluation.model_files import model_files
from fourdcb.evaluation.runs.plan import ModelEntry

# Runners by their built-in names: where each lives, loaded when it is needed.
_BUILT_IN = {
    "baseline": "fourdcb.evaluation.runners.baseline:BaselineRunner",
    "oracle": "fourdcb.evaluation.runners.oracle:OracleRunner",
    "scripts": "fourdcb.evaluation.runners.scripts:ScriptsRunner",
    "python": "fourdcb.evaluation.runners.function:FunctionRunner",
    "torch": "fourdcb.evaluation.runners.torch_module:TorchRunner",
    "command": "fourdcb.evaluation.runners.command:CommandRunner",
    "http": "fourdcb.evaluation.runners.http:HttpRunner",
}

# Runners that wait for another machine: how many are worth having, whatever the processors here.
_WAITING = {"http": 8}


def waiting_workers(entry: ModelEntry) -> int | None:
    """How many processes an entry that only waits is worth; None for one that works on this machine."""
    return _WAITING.get(entry.target)


def resolve_model(
    name: str, *, parameters: Mapping[str, Any] | None = None, catalog: Path | None = None
) -> ModelEntry:
    """What a caller's name of a model means; nothing is loaded, but the model's files are hashed.

    ``http://…`` is an endpoint, text with ``{video}`` a command, a folder one of finished scripts,
    ``module:name`` a function or class, ``torch:module:Class`` a torch module; anything else is looked up
    in the
    catalog.

    Raises:
        UserError: the catalog has no such model, a setting names another model than the name does, or a
            file of the model cannot be read.
    """
    entry = _entry(name, dict(parameters or {}), catalog)
    return entry.with_fields(files=model_files(entry))


def _entry(name: str, given: dict[str, Any], catalog: Path | None) -> ModelEntry:
    named: tuple[str, str, str, str] | None = None  # id, target, and the setting that the name is
    if name.startswith(("http://", "https://")):
        named = (name, "http", "url", name)
    elif "{video}" in name or "{request}" in name:
        named = (name.split()[0], "command", "command", name)
    elif Path(name).is_dir():
        named = (Path(name).resolve().name, "scripts", "folder", str(Path(name)))
    elif name.startswith("torch:"):
        named = (name, "torch", "module", name.removeprefix("torch:"))
    elif ":" in name:
        named = (name, "python", "function", name)
    if named is not None:
        model_id, target, setting, value = named
        if setting in given:
            raise UserError(f"the setting {setting!r} is the model's name already", got=str(given[setting]))
        return ModelEntry(id=model_id, target=target, parameters={setting: value, **given})
    from fourdcb.evaluation.catalog import find_entry, load_models

    found = find_entry(load_models(catalog), name, what="model")
    provenance: dict[str, Any] = {"about": found.about, **found.provenance}
    if found.revision is not None:
        provenance["revision"] = found.revision
    return ModelEntry(
        id=found.id, target=found.runner, parameters={**found.parameters, **given}, provenance=provenance
    )


def resolve_runner(entry: ModelEntry) -> WorldModelRunner:
    """Load the runner of an entry.

    Raises:
        UserError: there is no such runner, or its settings are wrong.
    """
    target = _BUILT_IN.get(entry.target, entry.target)
    kind = load_attribute(target, what="runner")
    if not hasattr(kind, "from_config"):
        raise UserError(
            f"the runner {target!r} cannot be made from settings",
            expected="a class with from_config, generate, cleanup",
        )
    runner = kind.from_config(dict(entry.parameters))
    if not isinstance(runner, WorldModelRunner):
        raise UserError(f"{target!r} is no runner", expected="from_config, parameters, generate and cleanup")
    return runner


def load_attribute(target: str, *, what: str) -> Any:
    """The object that ``module:name`` names.

    Raises:
        UserError: no such module or name, or the module cannot be imported.
    """
    module_name, separator, name = target.partition(":")
    if not separator or not module_name or not name:
        raise UserError(f"this names no {what}", got=repr(target), expected="module:name")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = error.name or module_name
        hint = "run from the folder that holds it, or install it" if missing == module_name else None
        raise UserError(
            f"the {what}'s module cannot be imported",
            where=module_name,
            got=f"no module {missing!r}",
            hint=hint,
        ) from error
    except Exception as error:
        raise UserError(
            f"the {what}'s module cannot be imported",
            where=module_name,
            got=f"{type(error).__name__}: {error}",
        ) from error
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            raise UserError(f"the module {module_name!r} has no {name!r}", where=module_name)
        found = getattr(found, part)
    return found


def as_function(target: str) -> Callable[..., Any]:
    """The function that ``module:name`` names. Raises UserError when it is none."""
    found = load_attribute(target, what="function")
    if not callable(found):
        raise UserError("this is no function", got=f"{target} is a {type(found).__name__}")
    return found
