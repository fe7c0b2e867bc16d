"""The clip of the images as they are compared on screen, written to a file."""

from __future__ import annotations

from fourdcb_studio.jobs.contract import JobKind

CLIP_FILE = JobKind(
    name="clip_file",
    request=object,
    place="process",
    work="fourdcb_studio.views.compare.clip_export:export_clip",
)
