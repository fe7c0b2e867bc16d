"""4DCodeBench: judge executable world scripts against videos of moving scenes.

Importing this package loads nothing heavy; every room is imported by its own name
(``fourdcb.dsl``, ``fourdcb.physics``, ``fourdcb.render`` …).
"""

__version__ = "0.1.0"
