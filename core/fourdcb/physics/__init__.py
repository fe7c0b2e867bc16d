"""Rigid-body rollouts: a world in, a trajectory out. pybullet is imported when the first engine starts."""

from fourdcb.physics.batch import frame_poses_of as frame_poses_of
from fourdcb.physics.engine import BulletEngine as BulletEngine
from fourdcb.physics.engine import Rollout as Rollout
from fourdcb.physics.engine import simulate as simulate
from fourdcb.physics.rates import judging_rate as judging_rate
from fourdcb.physics.rates import preview_rate as preview_rate
from fourdcb.physics.scene import RECIPE_VERSION as RECIPE_VERSION
