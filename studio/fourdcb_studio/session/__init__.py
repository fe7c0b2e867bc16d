"""The Studio's state and decisions, without Qt: one session per window, on the GUI thread only."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourdcb_studio.session.clock import Clock as Clock
    from fourdcb_studio.session.comparison import MODES as MODES
    from fourdcb_studio.session.comparison import Comparison as Comparison
    from fourdcb_studio.session.comparison import Mode as Mode
    from fourdcb_studio.session.comparison import Selection as Selection
    from fourdcb_studio.session.frame_store import FrameStore as FrameStore
    from fourdcb_studio.session.parameter_set import ParameterSet as ParameterSet
    from fourdcb_studio.session.scene_session import SceneSession as SceneSession
    from fourdcb_studio.session.scheduler import Scheduler as Scheduler
    from fourdcb_studio.session.sources import SceneSources as SceneSources
    from fourdcb_studio.session.sources import bundled_scene as bundled_scene
    from fourdcb_studio.session.sources import find_sources as find_sources
    from fourdcb_studio.session.state import Message as Message
    from fourdcb_studio.session.view import View as View

_HOMES = {
    "Clock": "clock", "MODES": "comparison", "Comparison": "comparison", "Mode": "comparison",
    "Selection": "comparison", "FrameStore": "frame_store", "ParameterSet": "parameter_set",
    "SceneSession": "scene_session", "Scheduler": "scheduler", "SceneSources": "sources",
    "bundled_scene": "sources", "find_sources": "sources", "Message": "state", "View": "view",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Imports a name on its first use: the simulation process needs the messages only, and soon."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
