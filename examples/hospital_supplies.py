"""Hospital supplies: publish what two depots send, without revealing how many patients there are.

A cvxpy problem. The parameter `patients` is private; depots, costs and capacities are public. The
total that each of two depots sends is published.
"""

import cvxpy as cp
import numpy as np

import privopt as po
from privopt.show.pictures.intervals import Dots, intervals

depots, hospitals = ["harbour", "airport", "inland"], ["A", "B", "C", "D", "E"]
cost = np.array([[1, 2, 3, 4, 5], [2, 1, 2, 3, 3], [4, 3, 2, 2, 1]])
capacity = np.array([80, 70, 90])

sent = cp.Variable((3, 5), name="sent", nonneg=True)
patients = cp.Parameter(5, name="patients")
problem = cp.Problem(
    cp.Minimize(cp.sum(cp.multiply(cost, sent)) + 0.02 * cp.sum_squares(sent)),
    [cp.sum(sent, axis=0) == patients, cp.sum(sent, axis=1) <= capacity],
)

program = po.from_cvxpy(problem, private=patients)
totals = cp.sum(sent, axis=1)
instrument = po.Instrument(
    {"all patients": program.data_names},
    program=program,
    privacy=po.Laplace(epsilon=1.0, alpha=1.0),  # hides one patient, anywhere
    domain=po.Box(15.0, 30.0),
)
today = [22, 19, 27, 18, 24]  # private
ledger = po.Ledger("supplies.ledger", limit=po.Budget(1.0))
measurement = instrument.measure(today, ledger=ledger, key="today")
decision = po.decide(  # public from here on
    program, po.Linear(totals[:2]), measurement, po.ExactBox(eta=0.05), fidelity=1.0
)
print(decision.summary())
program.assign(decision.complete(today).z)  # for the drivers: writes sent.value
print(np.round(sent.value, 1))

program.assign(program.at(today).solve().z)  # without privacy, for the picture
best = sent.value.sum(axis=1)[:2]
marks = [Dots("released", decision.values), Dots("optimum (private)", best),
         Dots("capacity", np.array(capacity[:2], dtype=float))]  # fmt: skip
picture = intervals(depots[:2], marks, "Pallets sent today", "One release.", "pallets")
picture.save("hospital_supplies.html")
