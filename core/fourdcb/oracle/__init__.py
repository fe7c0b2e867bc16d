"""The Oracle: inverts videos by fitting worlds to them."""

from fourdcb.oracle.fit import Fit as Fit
from fourdcb.oracle.fit import FittedParameter as FittedParameter
from fourdcb.oracle.fit import fit as fit
