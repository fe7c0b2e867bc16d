"""How motion answers to parameters: the predictability horizon and the causes of residuals."""

from fourdcb.sensitivity.horizon import predictability_horizon as predictability_horizon
