"""What a look at the machine says."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked for.

    Attributes:
        ok: found and working.
        required: the library does not work without it.
        detail: versions, paths, or what went wrong.
        mend: a command or an instruction.
    """

    name: str
    ok: bool
    required: bool
    detail: str
    mend: str

    def to_json(self) -> dict[str, object]:
        """Plain JSON value."""
        return asdict(self)
