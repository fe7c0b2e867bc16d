"""The ground-truth renderer: Mitsuba 3's path tracer (extra ``pathtrace``)."""

from fourdcb.render.pathtrace.settings import PathSettings as PathSettings
from fourdcb.render.pathtrace.tracer import PathTracer as PathTracer
from fourdcb.render.pathtrace.variant import usable_variant as usable_variant
