"""A folder of finished scripts, one a sample: answers that were made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fourdcb.errors import UserError
from fourdcb.evaluation.api import GenerationRequest, GenerationResult, Record
from fourdcb.evaluation.runners.settings import script_result, settings_of
from fourdcb.identity import file_sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptsSettings(Record):
    """Where the scripts lie: ``FOLDER/SAMPLE_ID`` with ``pattern`` behind it."""

    folder: str
    pattern: str = ".py"


class ScriptsRunner:
    """Reads ``FOLDER/SAMPLE_ID.py``; a file that is not there is a failed generation."""

    def __init__(self, settings: ScriptsSettings) -> None:
        self._settings = settings
        if not Path(settings.folder).is_dir():
            raise UserError("there is no such folder of scripts", where=settings.folder)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A runner of ``folder`` and ``pattern``."""
        return cls(settings_of(ScriptsSettings, config, runner="scripts"))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The settings, and the hash of every script: an edited one is another answer."""
        folder = Path(self._settings.folder)
        files = sorted(folder.rglob(f"*{self._settings.pattern}"))
        return {
            **self._settings.to_dict(),
            "files": {str(f.relative_to(folder)): file_sha256(f) for f in files},
        }

    def generate(self, request: GenerationRequest) -> GenerationResult:
        """The script of a sample."""
        path = Path(self._settings.folder) / (request.sample_id + self._settings.pattern)
        if not path.is_file():
            raise UserError("there is no script for this sample", where=str(path))
        return script_result(request, path)

    def cleanup(self) -> None:
        """Nothing is held."""
