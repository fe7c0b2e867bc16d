"""How motion answers to parameters: the predictability horizon and the causes of residuals."""

from fourdcb.sensitivity.explain import Change as Change
from fourdcb.sensitivity.explain import Explanation as Explanation
from fourdcb.sensitivity.explain import explain as explain
from fourdcb.sensitivity.horizon import predictability_horizon as predictability_horizon
