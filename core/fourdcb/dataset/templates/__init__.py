"""Families of scenes: each samples a world from ranges of real figures."""

from fourdcb.dataset.templates.contract import Draw as Draw
from fourdcb.dataset.templates.contract import Range as Range
from fourdcb.dataset.templates.contract import Template as Template
from fourdcb.dataset.templates.table import TEMPLATES as TEMPLATES
from fourdcb.dataset.templates.table import template as template
