"""Rigid bodies by Bullet, with the recipe that makes restitution, friction and landings right."""

from fourdcb.physics.bullet.engine import BulletEngine as BulletEngine
