"""Painted widgets of the Studio. They get immutable data through setters and emit signals."""

from fourdcb_studio.widgets.compare_layout import MODES as MODES
from fourdcb_studio.widgets.compare_layout import CompareMode as CompareMode
from fourdcb_studio.widgets.image_paint import Message as Message
from fourdcb_studio.widgets.image_view import CompareView as CompareView
from fourdcb_studio.widgets.parameter_slider import ParameterRow as ParameterRow
from fourdcb_studio.widgets.segmented import Segmented as Segmented
from fourdcb_studio.widgets.space_scene import SpaceMotion as SpaceMotion
from fourdcb_studio.widgets.space_view import SpaceView as SpaceView
from fourdcb_studio.widgets.timeline import TimePanel as TimePanel
from fourdcb_studio.widgets.transport import Transport as Transport
