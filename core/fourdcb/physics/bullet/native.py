"""Bullet's C functions, out of pybullet's extension module and without its Python layer.

The Python layer makes tuples of every contact and every state, which costs several times what the physics
does, and never releases the GIL. The module exports the C functions that it calls itself.
"""

from __future__ import annotations

import ctypes
import importlib.util
from ctypes import POINTER, c_char_p, c_double, c_int, c_void_p
from functools import cache
from typing import Any

from fourdcb.errors import UserError

BASE_LINK = -1
# Of enum EnumSharedMemoryServerStatus: what a command answers.
STATE_TOLD, URDF_LOADED, CONTACTS_TOLD = 21, 6, 39
# A command buffer of our own must hold Bullet's largest command, 30752 bytes; it is copied whole.
COMMAND_BYTES = 1 << 15

# One contact point is 22 numbers of 8 bytes: flags, handles a and b and their links as 32-bit integers in the
# first three, then points on both [m], normal on b, distance [m], normal force [N], the two friction
# forces [N] and their directions.
CONTACT_WIDTH = 22
CONTACT_HANDLES = slice(1, 3)  # among the 32-bit integers
CONTACT_ON_A, CONTACT_ON_B, CONTACT_NORMAL = slice(3, 6), slice(6, 9), slice(9, 12)
CONTACT_DISTANCE, CONTACT_FORCE, CONTACT_FRICTION_1, CONTACT_FRICTION_2 = 12, 13, 14, 15
CONTACT_ALONG_1, CONTACT_ALONG_2 = slice(16, 19), slice(19, 22)
CONTACT_BYTES = 8 * CONTACT_WIDTH


class ContactList(ctypes.Structure):
    """Where the answer to a request for contacts lies."""

    _fields_ = (("count", c_int), ("rows", c_void_p))


class DynamicsInfo(ctypes.Structure):
    """What Bullet tells about a body."""

    _fields_ = (
        ("mass", c_double),
        ("inertia", c_double * 3),
        ("inertial_frame", c_double * 7),
        ("lateral_friction", c_double),
        ("rolling_friction", c_double),
        ("_rest", c_double * 32),  # 96 bytes in 3.2.7
    )


class Parameters(ctypes.Structure):
    """What Bullet tells about its settings."""

    _fields_ = (
        ("time_step", c_double),
        ("timestamp", c_double),
        ("gravity", c_double * 3),
        ("sub_steps", c_int),
        ("solver_iterations", c_int),
        ("warm_starting", c_double * 2),
        ("real_time", c_int),
        ("split_impulse", c_int),
        ("_rest", c_double * 64),  # 152 bytes in 3.2.7
    )


_P = c_void_p
_VECTOR = POINTER(c_double)
# Result (None is int) and arguments after the client's or command's handle, which all of them take first.
_PROTOTYPES: dict[str, tuple[Any, ...]] = {
    "b3DisconnectSharedMemory": (None,),
    "b3SubmitClientCommandAndWaitStatus": (_P, _P),
    "b3GetStatusType": (c_int,),
    "b3InitResetSimulationCommand": (_P,),
    "b3InitResetSimulationSetFlags": (c_int, c_int),
    "b3InitPhysicsParamCommand": (_P,),
    "b3InitRequestPhysicsParamCommand": (_P,),
    "b3GetStatusPhysicsSimulationParameters": (c_int, POINTER(Parameters)),
    "b3PhysicsParamSetGravity": (c_int, c_double, c_double, c_double),
    "b3PhysicsParamSetTimeStep": (c_int, c_double),
    "b3PhysicsParamSetNumSubSteps": (c_int, c_int),
    "b3PhysicsParamSetNumSolverIterations": (c_int, c_int),
    "b3PhysicsParamSetUseSplitImpulse": (c_int, c_int),
    "b3PhysicsParamSetSplitImpulsePenetrationThreshold": (c_int, c_double),
    "b3PhysicsParamSetRestitutionVelocityThreshold": (c_int, c_double),
    "b3PhysicsParamSetSolverResidualThreshold": (c_int, c_double),
    "b3PhysicsParameterSetDeterministicOverlappingPairs": (c_int, c_int),
    "b3PhysicsParameterSetEnableSAT": (c_int, c_int),
    "b3PhysicsParamSetEnableFileCaching": (c_int, c_int),
    "b3LoadUrdfCommandInit": (_P, c_char_p),
    "b3LoadUrdfCommandSetFlags": (c_int, c_int),
    "b3LoadUrdfCommandSetStartPosition": (c_int, c_double, c_double, c_double),
    "b3LoadUrdfCommandSetStartOrientation": (c_int, c_double, c_double, c_double, c_double),
    "b3LoadUrdfCommandSetUseMultiBody": (c_int, c_int),
    "b3LoadUrdfCommandSetUseFixedBase": (c_int, c_int),
    "b3GetStatusBodyIndex": (c_int,),
    "b3InitChangeDynamicsInfo": (_P,),
    "b3ChangeDynamicsInfoSetRestitution": (c_int, c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetLateralFriction": (c_int, c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetRollingFriction": (c_int, c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetSpinningFriction": (c_int, c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetContactProcessingThreshold": (c_int, c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetLinearDamping": (c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetAngularDamping": (c_int, c_int, c_double),
    "b3ChangeDynamicsInfoSetActivationState": (c_int, c_int, c_int),
    "b3GetDynamicsInfoCommandInit": (_P, c_int, c_int),
    "b3GetDynamicsInfo": (c_int, POINTER(DynamicsInfo)),
    "b3CreatePoseCommandInit": (_P, c_int),
    "b3CreatePoseCommandSetBasePosition": (c_int, c_double, c_double, c_double),
    "b3CreatePoseCommandSetBaseOrientation": (c_int, c_double, c_double, c_double, c_double),
    "b3CreatePoseCommandSetBaseLinearVelocity": (c_int, _VECTOR),
    "b3CreatePoseCommandSetBaseAngularVelocity": (c_int, _VECTOR),
    "b3ApplyExternalForceCommandInit": (_P,),
    "b3ApplyExternalForce": (None, c_int, c_int, _VECTOR, _VECTOR, c_int),
    "b3InitStepSimulationCommand2": (_P,),
    "b3RequestActualStateCommandInit2": (_P, c_int),
    "b3GetStatusActualState": (c_int, _P, _P, _P, _P, POINTER(c_void_p), POINTER(c_void_p), _P),
    "b3InitRequestContactPointInformation": (_P,),
    "b3GetContactPointInformation": (None, POINTER(ContactList)),
    "b3CreateCollisionShapeCommandInit": (_P,),
    "b3CreateCollisionShapeAddSphere": (c_int, c_double),
    "b3CreateCollisionShapeAddBox": (c_int, _VECTOR),
    "b3CreateCollisionShapeAddCylinder": (c_int, c_double, c_double),
    "b3CreateCollisionShapeAddCapsule": (c_int, c_double, c_double),
    "b3CreateCollisionShapeAddPlane": (c_int, _VECTOR, c_double),
    "b3CreateCollisionShapeAddConvexMesh": (c_int, _P, _VECTOR, _VECTOR, c_int),
    "b3GetStatusCollisionShapeUniqueId": (c_int,),
    "b3CreateMultiBodyCommandInit": (_P,),
    "b3CreateMultiBodyBase": (c_int, c_double, c_int, c_int, _VECTOR, _VECTOR, _VECTOR, _VECTOR),
}


@cache
def library() -> Any:
    """Bullet's functions, called with the GIL held: they are short, and its readers of files share state.

    Raises:
        UserError: when pybullet is not installed, does not load, or does not export them.
    """
    return _declared(ctypes.PyDLL(_path()))


@cache
def stepping_library() -> Any:
    """The same functions, called without the GIL: for steps, which other threads need not wait for."""
    return _declared(ctypes.CDLL(_path()))


def vector(values: Any) -> Any:
    """A C array of doubles."""
    return (c_double * len(values))(*values)


def _path() -> str:
    spec = importlib.util.find_spec("pybullet")
    if spec is None or spec.origin is None:
        raise _unusable("it is not installed")
    return spec.origin


def _declared(loaded: Any) -> Any:
    try:
        loaded.b3ConnectPhysicsDirect.restype = c_void_p
        loaded.b3ConnectPhysicsDirect.argtypes = []
        for name, (result, *arguments) in _PROTOTYPES.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, [c_void_p, *arguments]
    except AttributeError as error:
        raise _unusable(f"this build does not export Bullet's functions: {error}") from error
    return loaded


def _unusable(reason: str) -> UserError:
    return UserError(
        "the physics engine pybullet cannot be used",
        got=reason,
        hint="pip install pybullet==3.2.7 under CPython 3.11",
    )
