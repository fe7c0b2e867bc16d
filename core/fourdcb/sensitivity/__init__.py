"""How a clip answers to parameters: derivatives, what can be told from it, causes, predictability horizon."""

from fourdcb.sensitivity.derivatives import MotionDerivative as MotionDerivative
from fourdcb.sensitivity.derivatives import motion_derivative as motion_derivative
from fourdcb.sensitivity.derivatives import pixel_derivative as pixel_derivative
from fourdcb.sensitivity.differences import Derivative as Derivative
from fourdcb.sensitivity.explain import Change as Change
from fourdcb.sensitivity.explain import Explanation as Explanation
from fourdcb.sensitivity.explain import explain as explain
from fourdcb.sensitivity.fisher import Information as Information
from fourdcb.sensitivity.fisher import information as information
from fourdcb.sensitivity.horizon import predictability_horizon as predictability_horizon
from fourdcb.sensitivity.identifiability import Identifiability as Identifiability
from fourdcb.sensitivity.identifiability import ParameterInformation as ParameterInformation
from fourdcb.sensitivity.identifiability import identifiability as identifiability
