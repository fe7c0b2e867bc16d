"""One Bullet world, spoken to in commands."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from fourdcb.errors import FourDCBError
from fourdcb.physics.bullet.native import (
    BASE_LINK,
    COMMAND_BYTES,
    CONTACT_BYTES,
    STATE_TOLD,
    URDF_LOADED,
    ContactList,
    DynamicsInfo,
    Parameters,
    library,
    stepping_library,
    vector,
)

Vector = Sequence[float]
_WORLD_FRAME = 2
_SETTINGS = {
    "time_step": "b3PhysicsParamSetTimeStep",
    "sub_steps": "b3PhysicsParamSetNumSubSteps",
    "solver_iterations": "b3PhysicsParamSetNumSolverIterations",
    "split_impulse": "b3PhysicsParamSetUseSplitImpulse",
    "split_impulse_depth": "b3PhysicsParamSetSplitImpulsePenetrationThreshold",
    "restitution_speed": "b3PhysicsParamSetRestitutionVelocityThreshold",
    "solver_residual": "b3PhysicsParamSetSolverResidualThreshold",
    "deterministic_pairs": "b3PhysicsParameterSetDeterministicOverlappingPairs",
    "sat": "b3PhysicsParameterSetEnableSAT",
    "file_caching": "b3PhysicsParamSetEnableFileCaching",
}
_OF_LINK = {
    "restitution": "b3ChangeDynamicsInfoSetRestitution",
    "lateral_friction": "b3ChangeDynamicsInfoSetLateralFriction",
    "rolling_friction": "b3ChangeDynamicsInfoSetRollingFriction",
    "spinning_friction": "b3ChangeDynamicsInfoSetSpinningFriction",
    "contact_processing": "b3ChangeDynamicsInfoSetContactProcessingThreshold",
}
_OF_BODY = {
    "linear_damping": "b3ChangeDynamicsInfoSetLinearDamping",
    "angular_damping": "b3ChangeDynamicsInfoSetAngularDamping",
    "activation_state": "b3ChangeDynamicsInfoSetActivationState",
}


class EngineError(FourDCBError):
    """Bullet did not take a setting: results would be wrong without anybody noticing."""


class BulletClient:
    """A world of its own inside Bullet, empty at first. Not for two threads at once.

    Bodies are known by the handles that :meth:`load_urdf` gives; quaternions are xyzw, as Bullet has them.

    Attributes:
        library: Bullet's functions.
        handle: the client for them; None once it is closed.
        step: makes one step; other threads run meanwhile.
    """

    def __init__(self) -> None:
        self.library = library()
        self.handle: int | None = self.library.b3ConnectPhysicsDirect()
        if not self.handle:
            raise FourDCBError("Bullet gave no client")
        self._pointer = ctypes.c_void_p(self.handle)  # ctypes takes it in faster than a number
        self._submit = self.library.b3SubmitClientCommandAndWaitStatus
        step, self._request = command_buffer(), command_buffer()
        self.library.b3InitStepSimulationCommand2(step)
        self.step: Callable[[], object] = partial(
            stepping_library().b3SubmitClientCommandAndWaitStatus,
            self._pointer,
            step,
        )

    def close(self) -> None:
        """Gives the world back. A second call does nothing."""
        if self.handle:
            self.library.b3DisconnectSharedMemory(self.handle)
            self.handle = None

    def submit(self, command: Any) -> Any:
        """Carries a command out; the status that it ends with."""
        return self._submit(self.handle, command)

    def reset(self) -> None:
        """Empties the world and forgets all settings."""
        command = self.library.b3InitResetSimulationCommand(self.handle)
        self.library.b3InitResetSimulationSetFlags(command, 0)
        self.submit(command)

    def set_parameters(self, **values: float) -> None:
        """Sets some of the engine's parameters; names as in ``_SETTINGS``."""
        command = self.library.b3InitPhysicsParamCommand(self.handle)
        for name, value in values.items():
            getattr(self.library, _SETTINGS[name])(command, value)
        self.submit(command)

    def set_gravity(self, acceleration: Vector) -> None:
        """Sets the field that acts on every dynamic body [m/s²]."""
        command = self.library.b3InitPhysicsParamCommand(self.handle)
        self.library.b3PhysicsParamSetGravity(command, *acceleration)
        self.submit(command)

    def parameters(self) -> Parameters:
        """The parameters that are in force."""
        told = Parameters()
        status = self.submit(self.library.b3InitRequestPhysicsParamCommand(self.handle))
        self.library.b3GetStatusPhysicsSimulationParameters(status, told)
        return told

    def load_urdf(self, path: str, *, position: Vector, orientation: Vector, fixed: bool, flags: int) -> int:
        """Makes a rigid body out of a URDF file; its handle.

        Raises:
            EngineError: when Bullet does not load it.
        """
        api = self.library
        command = api.b3LoadUrdfCommandInit(self.handle, path.encode())
        api.b3LoadUrdfCommandSetFlags(command, flags)
        api.b3LoadUrdfCommandSetStartPosition(command, *position)
        api.b3LoadUrdfCommandSetStartOrientation(command, *orientation)
        api.b3LoadUrdfCommandSetUseMultiBody(command, 0)
        if fixed:
            api.b3LoadUrdfCommandSetUseFixedBase(command, 1)
        status = self.submit(command)
        if api.b3GetStatusType(status) != URDF_LOADED:
            raise EngineError(f"Bullet did not load {path}")
        handle: int = api.b3GetStatusBodyIndex(status)
        return handle

    def change_dynamics(self, body: int, **values: float) -> None:
        """Sets properties of a body; names as in ``_OF_LINK`` and ``_OF_BODY``."""
        command = self.library.b3InitChangeDynamicsInfo(self.handle)
        for name, value in values.items():
            if name in _OF_LINK:
                getattr(self.library, _OF_LINK[name])(command, body, BASE_LINK, value)
            else:
                getattr(self.library, _OF_BODY[name])(command, body, value)
        self.submit(command)

    def dynamics(self, body: int) -> DynamicsInfo:
        """Mass, inertia and friction of a body as they are in force."""
        told = DynamicsInfo()
        status = self.submit(self.library.b3GetDynamicsInfoCommandInit(self.handle, body, BASE_LINK))
        self.library.b3GetDynamicsInfo(status, told)
        return told

    def pose(self, body: int) -> tuple[float, ...]:
        """Position [m] and orientation xyzw of a body."""
        self.library.b3RequestActualStateCommandInit2(self._request, body)
        pose, _ = self.state_answer(self._request)
        return tuple(pose)

    def state_answer(self, request: Any) -> tuple[Any, Any]:
        """C arrays of Bullet's own that hold pose and velocity after this request, until the next one.

        Raises:
            EngineError: when Bullet does not know the body.
        """
        status = self.submit(request)
        if self.library.b3GetStatusType(status) != STATE_TOLD:
            raise EngineError("Bullet does not know the body that is asked for")
        pose, velocity = ctypes.c_void_p(), ctypes.c_void_p()
        self.library.b3GetStatusActualState(status, None, None, None, None, pose, velocity, None)
        assert pose.value is not None
        assert velocity.value is not None
        at = (ctypes.c_double * 7).from_address, (ctypes.c_double * 6).from_address
        return at[0](pose.value), at[1](velocity.value)

    def set_pose(self, body: int, position: Vector, orientation: Vector) -> None:
        """Puts a body somewhere."""
        command = self.library.b3CreatePoseCommandInit(self.handle, body)
        self.library.b3CreatePoseCommandSetBasePosition(command, *position)
        self.library.b3CreatePoseCommandSetBaseOrientation(command, *orientation)
        self.submit(command)

    def set_velocity(self, body: int, linear: Vector, angular: Vector) -> None:
        """Sets a body's velocities [m/s], [rad/s]."""
        command = self.library.b3CreatePoseCommandInit(self.handle, body)
        self.library.b3CreatePoseCommandSetBaseLinearVelocity(command, vector(linear))
        self.library.b3CreatePoseCommandSetBaseAngularVelocity(command, vector(angular))
        self.submit(command)

    def push(self, body: int, force: Vector, point: Vector) -> None:
        """Lets a force [N] act at a point [m], both in the world frame, during the next step."""
        command = self.library.b3ApplyExternalForceCommandInit(self.handle)
        self.library.b3ApplyExternalForce(
            command, body, BASE_LINK, vector(force), vector(point), _WORLD_FRAME
        )
        self.submit(command)

    def state_reader(self, bodies: Sequence[int]) -> Callable[[], list[bytes]]:
        """What reads the states of these bodies, over and over: its commands are made once.

        Returns:
            A function that gives position [m], orientation xyzw (56 bytes), linear [m/s] and angular velocity
            [rad/s] (48 bytes) of every body in turn.
        """
        requests = [command_buffer() for _ in bodies]
        answers: list[memoryview] = []
        for request, body in zip(requests, bodies, strict=True):
            self.library.b3RequestActualStateCommandInit2(request, body)
            # Bullet answers in one place, which stays where it is as long as the client lives.
            answers = [memoryview(array).cast("B") for array in self.state_answer(request)]
        submit, handle = self._submit, self._pointer
        pose, velocity = (answer.tobytes for answer in answers) if answers else (bytes, bytes)

        def read() -> list[bytes]:
            parts: list[bytes] = []
            for request in requests:
                submit(handle, request)
                parts += (pose(), velocity())
            return parts

        return read

    def contact_reader(self) -> Callable[[], bytes]:
        """What reads all contacts, over and over.

        Returns:
            A function that gives ``CONTACT_BYTES`` of every contact point.
        """
        submit, handle, string_at = self._submit, self._pointer, ctypes.string_at
        ask, answer = (
            self.library.b3InitRequestContactPointInformation,
            self.library.b3GetContactPointInformation,
        )
        found = ContactList()
        reference = ctypes.pointer(found)

        def read() -> bytes:
            submit(handle, ask(handle))
            answer(handle, reference)
            return string_at(found.rows, found.count * CONTACT_BYTES) if found.count else b""

        return read


def command_buffer() -> Any:
    """Room for one command, kept as long as the caller keeps it."""
    return ctypes.cast(ctypes.create_string_buffer(COMMAND_BYTES), ctypes.c_void_p)
