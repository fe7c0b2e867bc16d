"""The base of every contract: a frozen dataclass that goes to JSON and comes back unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, ClassVar, Self

from fourdcb.errors import UserError
from fourdcb.identity import jsonable


class Record:
    """Mixin of frozen dataclasses whose ``to_dict()`` and ``from_dict()`` are inverses.

    Attributes:
        FORMAT: name of the record's kind on disk; empty for records that only live inside others.
        VERSION: grows when a field changes its meaning.
    """

    FORMAT: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON value. Raises ValueError for NaN and infinities, TypeError for what JSON lacks."""
        head = {"format": self.FORMAT, "version": self.VERSION} if self.FORMAT else {}
        return {**head, **jsonable(self)}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """The record of a JSON value.

        Raises:
            UserError: for another format or version, an unknown or missing field, or a wrong type.
        """
        from cattrs import BaseValidationError, transform_error

        if not isinstance(value, Mapping):
            raise UserError(
                f"a {cls.__name__} must be an object", got=type(value).__name__, expected="a JSON object"
            )
        body = dict(value)
        if cls.FORMAT:
            _check_head(cls, body.pop("format", None), body.pop("version", None))
        try:
            return _converter().structure(body, cls)
        except BaseValidationError as error:
            complaints = transform_error(error)
            raise UserError(
                f"this is not a valid {cls.__name__}",
                got="; ".join(complaints[:5]),
                expected="the fields " + ", ".join(field.name for field in fields(cls)),  # type: ignore[arg-type]
            ) from error

    def with_fields(self, **changes: Any) -> Self:
        """A copy with fields replaced; what the others hold is shared, never copied.

        Raises:
            UserError: for a field that the record does not have.
        """
        known = {field.name for field in fields(self)}  # type: ignore[arg-type]
        unknown = sorted(set(changes) - known)
        if unknown:
            raise UserError(
                f"{type(self).__name__} has no field {unknown[0]!r}", expected=", ".join(sorted(known))
            )
        return replace(self, **changes)  # type: ignore[type-var]


def _check_head(cls: type[Record], found: Any, version: Any) -> None:
    if found != cls.FORMAT or version != cls.VERSION:
        raise UserError(
            f"this is not a {cls.__name__} of a known version",
            got=f"format {found!r}, version {version!r}",
            expected=f"format {cls.FORMAT!r}, version {cls.VERSION}",
        )


@cache
def _converter() -> Any:
    from cattrs import Converter

    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook_func(lambda kind: kind is Any, lambda item, _: item)
    # JSON's types are kept, never converted: "3" is no number and 1 is no truth value.
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, _exactly)
    converter.register_structure_hook(float, _number)
    return converter


def _exactly(value: Any, kind: type[Any]) -> Any:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, got {value!r}")
    return value


def _number(value: Any, _: type[float]) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)
