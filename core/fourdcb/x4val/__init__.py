"""Multi-source evaluation: sharper estimates from few scored samples and many unscored ones."""

from fourdcb.x4val.estimate import Estimate as Estimate
from fourdcb.x4val.estimate import control_variate_estimate as control_variate_estimate
from fourdcb.x4val.neighbours import nearest_neighbours as nearest_neighbours
from fourdcb.x4val.neighbours import neighbour_mean as neighbour_mean
