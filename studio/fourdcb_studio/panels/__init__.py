"""The parts of the window that show results and values. They get data through setters and emit signals."""

from fourdcb_studio.panels.axis_summary import AxisSummary as AxisSummary
from fourdcb_studio.panels.axis_summary import summarise as summarise
from fourdcb_studio.panels.cases import Case as Case
from fourdcb_studio.panels.cases import CasesPanel as CasesPanel
from fourdcb_studio.panels.command_palette import CommandPalette as CommandPalette
from fourdcb_studio.panels.drop_hint import DropHint as DropHint
from fourdcb_studio.panels.findings import FindingsPanel as FindingsPanel
from fourdcb_studio.panels.message_bar import MessageBar as MessageBar
from fourdcb_studio.panels.parameters import ParametersPanel as ParametersPanel
from fourdcb_studio.panels.pixel_readout import PixelReadout as PixelReadout
from fourdcb_studio.panels.pixel_readout import PixelValues as PixelValues
from fourdcb_studio.panels.script_view import ScriptView as ScriptView
from fourdcb_studio.panels.shortcut_sheet import ShortcutSheet as ShortcutSheet
from fourdcb_studio.panels.status_bar import StatusBar as StatusBar
from fourdcb_studio.panels.verdict_bar import VerdictBar as VerdictBar
from fourdcb_studio.panels.view_bar import ViewBar as ViewBar
from fourdcb_studio.panels.workspace import Workspace as Workspace
