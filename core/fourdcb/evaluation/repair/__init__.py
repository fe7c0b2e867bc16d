"""A wrong answer mended: suggestions are applied, replayed, and kept where they help."""

from fourdcb.evaluation.repair.edits import Edit, applied, told
from fourdcb.evaluation.repair.loop import Repair, Step, repair
from fourdcb.evaluation.repair.stage import Judgement, RepairStage

__all__ = ["Edit", "Judgement", "Repair", "RepairStage", "Step", "applied", "repair", "told"]
