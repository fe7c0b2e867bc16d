"""Colours, faces, icons and the stylesheet of the Studio."""

from fourdcb_studio.theme.apply import ThemeChoice as ThemeChoice
from fourdcb_studio.theme.apply import apply_theme as apply_theme
from fourdcb_studio.theme.colormaps import Lut as Lut
from fourdcb_studio.theme.colormaps import magnitude_colormap as magnitude_colormap
from fourdcb_studio.theme.colormaps import magnitude_colors as magnitude_colors
from fourdcb_studio.theme.colormaps import signed_colormap as signed_colormap
from fourdcb_studio.theme.colormaps import signed_colors as signed_colors
from fourdcb_studio.theme.fonts import mono_font as mono_font
from fourdcb_studio.theme.fonts import note_font as note_font
from fourdcb_studio.theme.fonts import register_fonts as register_fonts
from fourdcb_studio.theme.fonts import section_font as section_font
from fourdcb_studio.theme.fonts import text_font as text_font
from fourdcb_studio.theme.icons import icon as icon
from fourdcb_studio.theme.tokens import DARK as DARK
from fourdcb_studio.theme.tokens import GRID as GRID
from fourdcb_studio.theme.tokens import LIGHT as LIGHT
from fourdcb_studio.theme.tokens import NOTE_SIZE as NOTE_SIZE
from fourdcb_studio.theme.tokens import RADIUS as RADIUS
from fourdcb_studio.theme.tokens import TEXT_SIZE as TEXT_SIZE
from fourdcb_studio.theme.tokens import Tokens as Tokens
from fourdcb_studio.theme.tokens import contrast as contrast
from fourdcb_studio.theme.tokens import tokens as tokens
