"""Making scenes: truth scripts played into videos, faulty candidates."""

from typing import TYPE_CHECKING

from fourdcb.dataset.faults import SIZES as SIZES
from fourdcb.dataset.faults import Fault as Fault
from fourdcb.dataset.faults import FaultSize as FaultSize
from fourdcb.dataset.faults import faulty_source as faulty_source
from fourdcb.dataset.faults import left_out as left_out
from fourdcb.dataset.faults import load_faults as load_faults

if TYPE_CHECKING:
    from fourdcb.dataset.scene import SceneRecord as SceneRecord
    from fourdcb.dataset.scene import build_scene as build_scene


def __getattr__(name: str) -> object:
    """Imports what builds scenes on first use."""
    if name not in ("SceneRecord", "build_scene"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fourdcb.dataset import scene

    value: object = getattr(scene, name)
    globals()[name] = value
    return value
