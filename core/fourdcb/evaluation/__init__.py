"""Judging runs: one candidate against one video, and the records that make a score trustworthy."""

from fourdcb.evaluation.evaluate import Evaluation as Evaluation
from fourdcb.evaluation.evaluate import evaluate as evaluate
from fourdcb.evaluation.evaluate import truth_beside as truth_beside
from fourdcb.evaluation.pipeline import judge_replays as judge_replays
