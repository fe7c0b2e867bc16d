"""Frozen-encoder evaluation: probes that read features without touching the encoder."""

from fourdcb.probes.linear import ProbeResult as ProbeResult
from fourdcb.probes.linear import linear_probe as linear_probe
from fourdcb.probes.scores import balanced_accuracy as balanced_accuracy
from fourdcb.probes.scores import confusion_matrix as confusion_matrix
from fourdcb.probes.scores import macro_f1 as macro_f1
from fourdcb.probes.scores import retrieval_scores as retrieval_scores
from fourdcb.probes.splits import Split as Split
from fourdcb.probes.splits import group_split as group_split
