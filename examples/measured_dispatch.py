"""Measure, then decide: publish eleven supplies at the price of one noisy sum.

The network 39_epri with the paper's random costs and demands. The total demand is measured once,
through a ledger; the supplies are decided from it in public. A second decision, about other
supplies, costs no more privacy. The true answers are shown for comparison; only the operator sees
them.
"""

import numpy as np

import privopt as po
from privopt.show.pictures.intervals import Dots, intervals

drawn = po.experiments.instance("39_epri", 0)  # program, query and domain
program, query, limits = drawn.program, drawn.query, po.ExactBox(eta=0.025)
instrument = po.Instrument(  # or po.choose_instrument(...), which compares candidates
    {"total": program.data_names},
    program=program,
    privacy=po.Laplace(epsilon=1.0, alpha=0.1),  # hides changes of 0.1 at any node
    domain=drawn.domain,
)
ledger = po.Ledger("measured.ledger", limit=po.Budget(1.0))
measurement = instrument.measure(program.d, ledger=ledger, key="today")  # private demands
decision = po.decide(program, query, measurement, limits)  # public from here on
print(decision.summary())
print("every row holds where the demands can lie:", decision.check().excess <= 0)
other = po.decide(program, po.Identity(["p[1]", "p[2]"]), measurement, limits)
print(other.summary(), f"spent: {ledger.spent}", sep="\n")  # still one epsilon
print("of the true cost:", decision.complete(program.d).cost / program.solve().cost)

best = np.asarray(query.matrix(program) @ program.solve().z)
off = 2 * decision.errors
marks = [Dots("decided", decision.values, decision.values - off, decision.values + off),
         Dots("optimum (private)", best)]  # fmt: skip
title = f"Decided from the total demand: {100 * decision.loss:.1g}% dearer, epsilon 1"
caption = "Lines: twice the expected error. Supplies must lie within 0 and 3 p.u."
picture = intervals(decision.names, marks, title, caption, "supply, p.u.")
picture.save("measured_dispatch.html")
