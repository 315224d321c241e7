"""Choosing epsilon: what privacy costs, drawn before any data is read.

Policies for a range of epsilon: their expected extra cost once a release is completed, and how far
it lies from the true answer. The grey line is the distance of the best constant; above it a release
is not worth its epsilon. All of it is public, so it may be discussed with those whose data it is.
"""

import numpy as np

import privopt as po
from privopt.show.pictures.curve import curve
from privopt.show.pictures.stacked import stacked

drawn = po.experiments.instance("14_ieee", 2)
epsilons, made = np.geomspace(0.5, 10, 7), []
for epsilon in epsilons:
    try:
        made.append(
            po.design(
                drawn.program,
                drawn.query,
                po.Laplace(epsilon=float(epsilon), alpha=0.1),
                po.Analytic(eta=0.025, margin="unimodal"),
                domain=drawn.domain,
                fidelity=1.0,
            )
        )
    except po.errors.InfeasibleError:
        made.append(None)  # too much noise for the limits

for epsilon, policy in zip(epsilons, made, strict=True):
    told = "infeasible" if policy is None else f"tells {policy.worth.tells:.0%} of what varies"
    print(f"epsilon {epsilon:5.2f}: {told}")

loss = [None if p is None else 100 * p.completed_loss.value for p in made]  # once completed
far = [None if p is None else p.distance for p in made]
spread = next(p.spread for p in made if p is not None)  # of the answers: how far off a constant is
over, same = "epsilon: smaller is more private", [("a constant", spread)]
cost = curve(list(zip(epsilons, loss, strict=True)), over, "extra cost, %", name="What it costs")
told = curve(list(zip(epsilons, far, strict=True)), over, "distance, p.u.", same, ink="box",
             name="How far the release lies from the answer")  # fmt: skip
picture = stacked([cost, told], "What privacy costs on 14_ieee")
picture.save("choose_epsilon.html")
