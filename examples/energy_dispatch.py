"""Energy dispatch: publish the supply of three plants without revealing what any town uses.

The network 14_ieee with the paper's random costs and demands. The policy is made before the demands
are known; its releases are compared with the optimum, which only the operator sees.
"""

import numpy as np

import privopt as po
from privopt.show.pictures.intervals import Dots, intervals

drawn = po.experiments.instance("14_ieee", 2)  # program, query and domain
program, query = drawn.program, drawn.query
policy = po.design(
    program,
    query,
    po.Laplace(epsilon=1.0, alpha=0.02),  # hides changes of 0.02 at any node
    po.Analytic(eta=0.025),  # each line and plant keeps its limit in 97.5% of releases
    domain=drawn.domain,
    fidelity=1.0,  # cost assigned to a squared error of one
)
print(policy.summary())  # by how much each value follows the demands, and the noise

ledger = po.Ledger("dispatch.ledger", limit=po.Budget(1.0))
release = policy.release(program.d, ledger=ledger, key="today")  # private demands
print(release.summary())
print("of the true cost:", policy.complete(program.d, release).cost / program.solve().cost)

# Many possible releases, for the picture. The data are made up, so no ledger counts them.
many = np.array([policy.release(program.d).values for _ in range(500)])
low, middle, high = np.quantile(many, [0.05, 0.5, 0.95], axis=0)
best = np.asarray(query.matrix(program) @ program.solve().z)
marks = [Dots("releases", middle, low, high), Dots("optimum (private)", best)]
caption = "Lines: nine of ten releases. Supplies must lie within 0 and 3 p.u."
picture = intervals(release.names, marks, "Releases of one day", caption, "supply, p.u.")
picture.save("energy_dispatch.html")
