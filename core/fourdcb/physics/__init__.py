"""Rigid-body rollouts: a world in, a trajectory out. An engine is imported when the first one is made."""

from fourdcb.physics.batch import frame_poses_of as frame_poses_of
from fourdcb.physics.engine import DEFAULT_ENGINE as DEFAULT_ENGINE
from fourdcb.physics.engine import ENGINES as ENGINES
from fourdcb.physics.engine import Engine as Engine
from fourdcb.physics.engine import Rollout as Rollout
from fourdcb.physics.engine import make_engine as make_engine
from fourdcb.physics.engine import simulate as simulate
from fourdcb.physics.rates import Rate as Rate
from fourdcb.physics.rates import judging_rate as judging_rate
from fourdcb.physics.rates import preview_rate as preview_rate
