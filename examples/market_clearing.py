"""Private market clearing: publish awards and a price without revealing what anyone ordered.

Four sellers offer at rising prices; the orders of six buyers are private. The cheapest seller
always sells all it has. The awards of the next two are decided from one noisy sum of all orders;
the price follows from them by a public rule, so it costs no more privacy (post-processing).
"""

import numpy as np

import privopt as po
from privopt.show.pictures.curve import curve
from privopt.show.pictures.stacked import stacked

sellers = ["wind", "hydro", "gas", "oil"]
first, slope = np.array([5.0, 12.0, 20.0, 32.0]), np.array([0.05, 0.15, 0.2, 0.3])  # price + 2 s q
most = np.array([80.0, 70.0, 60.0, 60.0])
buyers = [f"buyer {k}" for k in range(1, 7)]

# Orders come one by one: variable o_k = order k (private), and awards meet their sum.
G = np.zeros((6, 10))
G[:, 4:] = np.eye(6)
A = np.array([[1.0] * 4 + [-1.0] * 6, [-1.0] * 4 + [1.0] * 6])  # awards = orders, as two rows
program = po.ConvexProgram(
    linear=np.r_[first, np.zeros(6)], quadratic=np.r_[slope, np.zeros(6)],
    G=G, A=A, b=[0.0, 0.0],
    lower=np.r_[np.zeros(4), np.full(6, -np.inf)], upper=np.r_[most, np.full(6, np.inf)],
    names=[*sellers, *(f"order of {buyer}" for buyer in buyers)], data_names=buyers,
)  # fmt: skip
instrument = po.Instrument(
    {"all orders": buyers},
    program=program,
    privacy=po.Laplace(epsilon=1.0, alpha=1.0),  # hides one unit of any order
    domain=po.Box(15.0, 30.0),
)
orders = [18.0, 27.0, 22.0, 16.0, 25.0, 21.0]  # private
ledger = po.Ledger("market.ledger", limit=po.Budget(1.0))
measurement = instrument.measure(orders, ledger=ledger, key="today")
decision = po.decide(
    program, po.Identity(["hydro", "gas"]), measurement, po.ExactBox(eta=0.05), fidelity=0.1
)
print(decision.summary())

price = (first[1:3] + 2 * slope[1:3] * decision.values).max()  # public rule: the highest
true = program.at(orders).solve().z[:4]
exact = (first + 2 * slope * true)[true > 1e-6].max()
pictures = []
for k, seller in enumerate(sellers[1:3], start=1):
    offers = [(q, first[k] + 2 * slope[k] * q) for q in np.linspace(0, most[k], 9).tolist()]
    levels = [("published price", price), ("true price (private)", exact)]
    name = f"{seller} is awarded {decision.values[k - 1]:.1f}"
    pictures.append(curve(offers, "quantity", "price", levels, name=name))
title = f"Published price {price:.1f} (long dashes), true price {exact:.1f} (dots, private)"
picture = stacked(pictures, title)
picture.save("market_clearing.html")
