"""privopt: differentially private convex optimisation with feasibility guarantees.

    minimise c(z)   subject to   A z <= b,   G z = d          (d private)

Publish part of the solution with differential privacy, the equalities always satisfied, the
inequalities with a stated probability, at the least extra cost.

>>> import privopt as po
>>> program = po.ConvexProgram(
...     linear=[1.0, 2.0, 3.0], quadratic=[0.1, 0.1, 0.1], G=[[1, 1, 1]], d=[6.0], lower=0, upper=4
... )
>>> plan = po.solve(
...     program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
... )
>>> release = plan.release()
>>> release.epsilon <= 1.0
True
"""

import importlib
import logging
from typing import TYPE_CHECKING, Any

from privopt import errors

if TYPE_CHECKING:
    from privopt import assess, experiments, networks
    from privopt.adapters import (
        Sites,
        TableData,
        from_cvxpy,
        from_networkx,
        read_data,
        read_sites,
    )
    from privopt.assess import audit
    from privopt.claims.estimate import Estimate
    from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
    from privopt.claims.units import UnitLabels
    from privopt.feasibility import Always, Analytic, ExactBox, Joint, SampledBox, Scenario
    from privopt.kernel.instrument import Instrument
    from privopt.kernel.measurement import Measurement
    from privopt.kernel.release import Release
    from privopt.ledger import Budget, Ledger
    from privopt.mechanisms.baselines import (
        InputPerturbation,
        OutputPerturbation,
        input_perturbation,
        output_perturbation,
    )
    from privopt.mechanisms.fidelity import Within
    from privopt.mechanisms.look import DataLook, look
    from privopt.mechanisms.measured.choosing import choose_instrument
    from privopt.mechanisms.measured.deciding import decide
    from privopt.mechanisms.measured.decision import Decision
    from privopt.mechanisms.measured.epsilons import simulate_instrument
    from privopt.mechanisms.plan import Plan
    from privopt.mechanisms.planning import solve
    from privopt.mechanisms.repeat import Repeat
    from privopt.mechanisms.verify import Verification
    from privopt.model.cost import (
        Entropy,
        Exponential,
        Logarithm,
        Norm,
        PiecewiseLinear,
        Power,
    )
    from privopt.model.diagnosis import Diagnosis
    from privopt.model.domain import Box, Domain
    from privopt.model.norm_limit import NormLimit
    from privopt.model.objective import CostDeviation, ExpectedCost, SolutionDeviation
    from privopt.model.periods import Periods
    from privopt.model.program import ConvexProgram, Optimum
    from privopt.model.program_file import PublicProgram
    from privopt.model.query import Identity, Linear, Sum
    from privopt.noise import Assumed, Gaussian, Laplace, Sampled, TruncatedLaplace
    from privopt.solving.affine import Affine, Recourse
    from privopt.solving.solver import Settings

__version__ = "0.2.0.dev0"

__all__ = [
    "Affine",
    "Always",
    "Analytic",
    "Assumed",
    "Box",
    "Budget",
    "Claim",
    "ConvexProgram",
    "CostDeviation",
    "DataLook",
    "Decision",
    "Diagnosis",
    "Domain",
    "Entropy",
    "Estimate",
    "ExactBox",
    "ExpectedCost",
    "Exponential",
    "Gaussian",
    "Guarantee",
    "Identity",
    "InputPerturbation",
    "Instrument",
    "Joint",
    "Laplace",
    "Ledger",
    "Linear",
    "Logarithm",
    "Measurement",
    "Norm",
    "NormLimit",
    "Optimum",
    "OutputPerturbation",
    "Periods",
    "PiecewiseLinear",
    "Plan",
    "Power",
    "Provenance",
    "PublicProgram",
    "Recourse",
    "Release",
    "Repeat",
    "Sampled",
    "SampledBox",
    "Scenario",
    "Scope",
    "Settings",
    "Sites",
    "SolutionDeviation",
    "Sum",
    "TableData",
    "TruncatedLaplace",
    "UnitLabels",
    "Verification",
    "Within",
    "__version__",
    "assess",
    "audit",
    "choose_instrument",
    "decide",
    "errors",
    "experiments",
    "from_cvxpy",
    "from_networkx",
    "input_perturbation",
    "look",
    "networks",
    "output_perturbation",
    "read_data",
    "read_sites",
    "simulate_instrument",
    "solve",
]

# Where each name lives: loaded when it is first asked for, so that `import privopt` is quick.
_WHERE = {
    "adapters": ("Sites", "TableData", "from_cvxpy", "from_networkx", "read_data", "read_sites"),
    "ledger": ("Budget", "Ledger"),
    "solving.affine": ("Affine", "Recourse"),
    "mechanisms.baselines": (
        "InputPerturbation",
        "OutputPerturbation",
        "input_perturbation",
        "output_perturbation",
    ),
    "solving.solver": ("Settings",),
    "model.cost": (
        "Entropy",
        "Exponential",
        "Logarithm",
        "Norm",
        "PiecewiseLinear",
        "Power",
    ),
    "model.diagnosis": ("Diagnosis",),
    "model.domain": ("Box", "Domain"),
    "claims.estimate": ("Estimate",),
    "feasibility": ("Always", "Analytic", "ExactBox", "Joint", "SampledBox", "Scenario"),
    "mechanisms.fidelity": ("Within",),
    "mechanisms.look": ("DataLook", "look"),
    "claims.guarantee": ("Claim", "Guarantee", "Provenance", "Scope"),
    "claims.units": ("UnitLabels",),
    "noise": ("Assumed", "Gaussian", "Laplace", "Sampled", "TruncatedLaplace"),
    "model.norm_limit": ("NormLimit",),
    "model.objective": ("CostDeviation", "ExpectedCost", "SolutionDeviation"),
    "mechanisms.measured.choosing": ("choose_instrument",),
    "mechanisms.measured.deciding": ("decide",),
    "mechanisms.measured.decision": ("Decision",),
    "mechanisms.measured.epsilons": ("simulate_instrument",),
    "mechanisms.plan": ("Plan",),
    "mechanisms.planning": ("solve",),
    "model.periods": ("Periods",),
    "model.program": ("ConvexProgram", "Optimum"),
    "model.program_file": ("PublicProgram",),
    "model.query": ("Identity", "Linear", "Sum"),
    "kernel.instrument": ("Instrument",),
    "kernel.measurement": ("Measurement",),
    "kernel.release": ("Release",),
    "mechanisms.repeat": ("Repeat",),
    "mechanisms.verify": ("Verification",),
    "assess": ("audit",),
}
_HOME = {name: module for module, names in _WHERE.items() for name in names}
_LATER = ("assess", "experiments", "networks")  # loaded at first use


logging.getLogger(__name__).addHandler(logging.NullHandler())


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 -- a module, a type or a function
    if name in _LATER:
        return importlib.import_module(f"privopt.{name}")
    if name in _HOME:
        found = getattr(importlib.import_module(f"privopt.{_HOME[name]}"), name)
        globals()[name] = found
        return found
    message = f"module 'privopt' has no attribute {name!r}"
    raise AttributeError(message)
