"""A camera from what is declared beside a clip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from fourdcb.errors import UserError
from fourdcb.world.camera import Camera


def camera_from(record: Any, *, where: str = "camera") -> Camera:
    """The camera of a record; what is no field of a camera (intrinsics, clock …) is not looked at.

    Args:
        record: of ``camera.json``, or the ``camera`` of a request.
        where: what errors name.

    Raises:
        UserError: it is no mapping, or a field is no number.
    """
    if not isinstance(record, Mapping) or "pos" not in record:
        raise UserError("this is no camera", where=where, expected="pos, target, fov_y_deg, width, height")
    given: dict[str, Any] = {
        f.name: tuple(record[f.name]) if isinstance(record[f.name], list) else record[f.name]
        for f in fields(Camera)
        if f.name in record
    }
    try:
        camera = Camera(**given)
        camera.world_from_camera()
    except (TypeError, ValueError) as error:
        raise UserError("this is no camera", where=where, got=str(error)) from error
    return camera
