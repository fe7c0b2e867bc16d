"""The catalog of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fourdcb.evaluation.catalog.loading import Field, catalog_text, check_names, read_entries

_FIELDS = {
    "id": Field(str, required=True),
    "runner": Field(str, required=True),
    "aliases": Field(list),
    "parameters": Field(dict),
    "revision": Field(str),
    "about": Field(str),
    "provenance": Field(dict),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogModel:
    """One model.

    Attributes:
        id, aliases: its names.
        runner: built-in name or ``module:Class``.
        parameters: settings of the runner.
        revision: pins what the model is; None when nothing does.
        about: for people.
        provenance: where it comes from; told, never run.
    """

    id: str
    runner: str
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    revision: str | None = None
    about: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)


def load_models(path: Path | None = None) -> tuple[CatalogModel, ...]:
    """The models of a catalog file; None reads the bundled one. Raises UserError."""
    text, name = catalog_text(path, "models.yaml")
    entries = read_entries(text, name, form="fourdcb.model_catalog", key="models", fields=_FIELDS)
    models = tuple(
        CatalogModel(**{**entry.values, "aliases": tuple(entry.values.get("aliases", ()))})
        for entry in entries
    )
    check_names(models, [entry.where for entry in entries])
    return models
