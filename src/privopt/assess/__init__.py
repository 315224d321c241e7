"""Assessment: sensitivities searched, certified, audited.

`lower_bound` searches neighbours whose releases lie far apart: the true epsilon is at least what it
finds. `certify` makes the recourse public and enumerates every piece of the solution map: the
factor it returns holds for every pair of neighbours. `audit` looks at the releases alone, of any
mechanism: how well do they tell two data apart? `worst_pair` is the pair to look at for
an instrument.

>>> import privopt as po
>>> drawn = po.experiments.instance("3_lmbd", 2)
>>> noise, kept = po.Laplace(epsilon=1, alpha=0.1), po.Analytic(eta=0.025, margin="unimodal")
>>> found = po.assess.lower_bound(
...     drawn.program, drawn.query, noise, kept, domain=drawn.domain, tries=60
... )
>>> found.epsilon > 1.69
True
>>> proven = po.assess.certify(drawn.program, drawn.query, noise, kept, domain=drawn.domain)
>>> noise = po.Laplace(epsilon=1, alpha=0.1, sensitivity=proven)
>>> po.solve(drawn.program, drawn.query, noise, kept).guarantee.privacy.label
'PROVEN'
"""

from __future__ import annotations

from privopt.assess.audit import Audit, audit
from privopt.assess.bound import LowerBound, Witness
from privopt.assess.certifying import certify
from privopt.assess.search import lower_bound
from privopt.assess.worst import WorstPair, worst_pair

__all__ = [
    "Audit",
    "LowerBound",
    "Witness",
    "WorstPair",
    "audit",
    "certify",
    "lower_bound",
    "worst_pair",
]
