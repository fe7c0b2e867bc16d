"""What a real camera does to a clean clip: lens, sensor noise, an occluding hand, compression."""

from fourdcb.dataset.degrade.apply import degraded as degraded
from fourdcb.dataset.degrade.occluder import Hand as Hand
from fourdcb.dataset.degrade.sensor import IMX477 as IMX477
from fourdcb.dataset.degrade.sensor import Sensor as Sensor
from fourdcb.dataset.degrade.strength import LEVELS as LEVELS
from fourdcb.dataset.degrade.strength import Degradation as Degradation
from fourdcb.dataset.degrade.strength import Level as Level
from fourdcb.dataset.degrade.strength import sample_degradation as sample_degradation
from fourdcb.dataset.degrade.strength import sample_lens as sample_lens
