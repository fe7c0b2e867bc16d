"""Making scenes (truth scripts played into videos, faulty candidates); libraries of judged cases."""

from typing import TYPE_CHECKING

from fourdcb.dataset.faults import SIZES as SIZES
from fourdcb.dataset.faults import Fault as Fault
from fourdcb.dataset.faults import FaultSize as FaultSize
from fourdcb.dataset.faults import faulty_source as faulty_source
from fourdcb.dataset.faults import left_out as left_out
from fourdcb.dataset.faults import load_faults as load_faults
from fourdcb.dataset.library import CaseLibrary as CaseLibrary
from fourdcb.dataset.library_add import add_case as add_case
from fourdcb.dataset.library_entry import VERDICTS as VERDICTS
from fourdcb.dataset.library_entry import Annotation as Annotation
from fourdcb.dataset.library_entry import CaseEntry as CaseEntry
from fourdcb.dataset.library_entry import CaseFiles as CaseFiles
from fourdcb.dataset.library_filter import FACETS as FACETS
from fourdcb.dataset.library_filter import SORTS as SORTS
from fourdcb.dataset.library_filter import CaseFilter as CaseFilter
from fourdcb.dataset.library_filter import parse_filter as parse_filter

if TYPE_CHECKING:
    from fourdcb.dataset.scene import SceneRecord as SceneRecord
    from fourdcb.dataset.scene import build_scene as build_scene


def __getattr__(name: str) -> object:
    """Imports what builds scenes on first use: engine and renderer are no part of looking at cases."""
    if name not in ("SceneRecord", "build_scene"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fourdcb.dataset import scene

    value: object = getattr(scene, name)
    globals()[name] = value
    return value
