"""A water network: publish what flows through two mains without revealing what a district uses.

A networkx graph. The demands of a flow must balance: if a district draws more, the lake supplies
more, so the lake is the balancing node.
"""

import networkx as nx

import privopt as po
from privopt.show.pictures.map import MapLine, MapNode, network_map

graph = nx.DiGraph()
for start, end, capacity, price in [
    ("lake", "tower", 30, 1.0), ("lake", "basin", 30, 1.2), ("tower", "north", 14, 0.3),
    ("tower", "centre", 12, 0.2), ("basin", "centre", 12, 0.3), ("basin", "south", 14, 0.2),
    ("north", "centre", 6, 0.4), ("south", "centre", 6, 0.4), ("centre", "north", 6, 0.4),
]:  # fmt: skip
    graph.add_edge(start, end, capacity=capacity, weight=price, curve=0.02)
districts = {"north": 8.0, "centre": 9.0, "south": 7.0}  # private
nx.set_node_attributes(graph, {"tower": 0.0, "basin": 0.0, "lake": -24.0} | districts, "demand")

program = po.from_networkx(graph, balance="lake", private=list(districts), quadratic="curve")
instrument = po.Instrument(
    {"total": program.private_names},
    program=program,
    privacy=po.Laplace(epsilon=1.0, alpha=0.2),
    domain=po.Box([6.0, 7.0, 5.0], [10.0, 11.0, 9.0]),
)
ledger = po.Ledger("water.ledger", limit=po.Budget(2.0))
measurement = instrument.measure(program.d, ledger=ledger, key="today")
mains = po.Identity([("lake", "tower"), ("tower", "centre")])
limits = po.ExactBox(eta=0.05)  # all pipes together keep their capacity in 95% of cases
decision = po.decide(program, mains, measurement, limits, fidelity=1.0)
print(decision.summary())
flows = program.flows(decision.complete(program.d).z)  # all of them, for the company alone

places = {"lake": (0, 1), "tower": (1, 2), "basin": (1, 0), "north": (2, 2.3), "centre": (2, 1),
          "south": (2, -0.3)}  # fmt: skip
told = {
    name.removeprefix("flow[").removesuffix("]"): v
    for name, v in decision.release().to_pandas().items()
}
position = {name: k for k, name in enumerate(places)}
most = max(amount for ends in flows.values() for amount in ends.values())
lines = [
    MapLine(position[start], position[end], flows[start][end] / most,
            f"{start} to {end}: " + (f"published, {told[f'{start},{end}']:.1f}"
                                     if f"{start},{end}" in told else "not published"))
    for start, end in graph.edges
]  # fmt: skip
ends = {name.split(",")[1]: value for name, value in told.items()}
nodes = [
    MapNode(x, y, name, ring=name in ends, written=f"{ends[name]:.1f}" if name in ends else "")
    for name, (x, y) in places.items()
]
title = "Published: the flow through two mains, at their ends. The rest stays inside."
picture = network_map(nodes, lines, title, ring="its main is published")
picture.save("water_network.html")
