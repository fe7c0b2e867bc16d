"""Judging runs: one candidate against one video, and the records that make a score trustworthy."""

from fourdcb.evaluation.clips import VideoFrames as VideoFrames
from fourdcb.evaluation.clips import read_on_stage as read_on_stage
from fourdcb.evaluation.evaluate import Evaluation as Evaluation
from fourdcb.evaluation.evaluate import evaluate as evaluate
from fourdcb.evaluation.evaluate import judge_worlds as judge_worlds
from fourdcb.evaluation.evaluate import truth_beside as truth_beside
