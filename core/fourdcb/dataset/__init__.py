"""Making scenes: truth scripts played into videos, candidates with known faults."""

from fourdcb.dataset.faults import Fault as Fault
from fourdcb.dataset.faults import load_faults as load_faults
from fourdcb.dataset.scene import SceneRecord as SceneRecord
from fourdcb.dataset.scene import build_scene as build_scene
