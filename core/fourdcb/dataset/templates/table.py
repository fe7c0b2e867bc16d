"""The table of templates."""

from __future__ import annotations

from fourdcb.dataset.templates.bounce import TEMPLATE as BOUNCE
from fourdcb.dataset.templates.contract import Template
from fourdcb.dataset.templates.domino import TEMPLATE as DOMINO
from fourdcb.dataset.templates.elastic_collision import TEMPLATE as ELASTIC_COLLISION
from fourdcb.dataset.templates.free_fall import TEMPLATE as FREE_FALL
from fourdcb.dataset.templates.incline_slide import TEMPLATE as INCLINE_SLIDE
from fourdcb.dataset.templates.pendulum_hit import TEMPLATE as PENDULUM_HIT
from fourdcb.dataset.templates.projectile import TEMPLATE as PROJECTILE
from fourdcb.dataset.templates.rolling import TEMPLATE as ROLLING
from fourdcb.dataset.templates.splash import TEMPLATE as SPLASH
from fourdcb.dataset.templates.stack_collapse import TEMPLATE as STACK_COLLAPSE
from fourdcb.dataset.templates.table_slide import TEMPLATE as TABLE_SLIDE
from fourdcb.dataset.templates.topple import TEMPLATE as TOPPLE
from fourdcb.errors import UserError

TEMPLATES: dict[str, Template] = {
    found.name: found
    for found in (
        FREE_FALL, BOUNCE, PROJECTILE, INCLINE_SLIDE, TABLE_SLIDE, ELASTIC_COLLISION, ROLLING, TOPPLE,
        STACK_COLLAPSE, PENDULUM_HIT, DOMINO, SPLASH,
    )
}  # fmt: skip


def template(name: str) -> Template:
    """The template of that name. Raises UserError for an unknown one."""
    if name not in TEMPLATES:
        raise UserError("there is no such template", got=name, expected=", ".join(TEMPLATES))
    return TEMPLATES[name]
