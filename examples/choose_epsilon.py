"""Choosing epsilon: what privacy costs, drawn before any data is read.

One sum is measured, at a range of epsilon: the expected extra cost of the values decided from it,
and how far they lie from the true answer. The grey line is the distance of the best constant; above
it a release is not worth its epsilon. All of it is public, so it may be discussed with those whose
data it is.
"""

import numpy as np

import privopt as po
from privopt.show.pictures.curve import curve
from privopt.show.pictures.stacked import stacked

drawn = po.experiments.instance("14_ieee", 2)
instrument = po.Instrument(
    {"total": drawn.program.data_names},
    program=drawn.program,
    privacy=po.Laplace(epsilon=1.0, alpha=0.1),
    domain=drawn.domain,
)
epsilons = np.geomspace(0.25, 8, 6).tolist()
instrument = po.simulate_instrument(
    drawn.program, drawn.query, instrument, po.ExactBox(eta=0.025), fidelity=1.0, epsilons=epsilons
)
print(instrument.summary())
print(f"a distance of 0.07 takes epsilon {instrument.epsilon_for(distance=0.07):.2g}")

points = [point for point in instrument.curve.points if point.epsilon > 0]
loss = [(one.epsilon, 100 * one.loss) for one in points]  # once completed
far = [(one.epsilon, one.distance) for one in points]
over, same = "epsilon: smaller is more private", [("a constant", instrument.spread)]
cost = curve(loss, over, "extra cost, %", name="What it costs")
told = curve(far, over, "distance, p.u.", same, ink="box",
             name="How far the release lies from the answer")  # fmt: skip
picture = stacked([cost, told], "What privacy costs on 14_ieee")
picture.save("choose_epsilon.html")
