"""The sentences of the page that no file can tell: what is shown, and why numbers differ."""

from __future__ import annotations

__all__ = ["EXPLANATIONS"]

_VIOLATION = (
    "Violation is the paper's test: the share of draws for which no completion of the released "
    "values satisfies all constraints. Affine is the share for which z(ξ) itself, the solution "
    "that the method would use, breaks a limit."
)
_PRIVACY = (
    "The privacy of every row rests on an assumed sensitivity (ASSUMED): the paper bounds how far "
    "the solution moves by how far the data moves. That bound is false on the paper's networks, so "
    "these numbers compare feasibility and cost, not proven privacy."
)
_EACH = (
    "A promise for each limit alone says little about all of them at once: with more limits the "
    "chance that some limit breaks grows, so PIQ-a, PSQ-a and the exact margins may exceed η."
)

EXPLANATIONS: dict[str, tuple[str, ...]] = {
    "header": (
        "Feasibility and cost are what Tables 1 and 2 and Figure 2 compare. The privacy of all "
        "their rows rests on the paper's sensitivity bound, which is assumed, and false on the "
        "paper's networks.",
    ),
    "certified": (
        "PIQ-a adds the noise that a change of α in the data would need if it moved the released "
        "values by no more than α (ASSUMED). A pair of neighbours that moves them further shows a "
        "larger ε: each bound here is such a pair, found by a search (SAMPLED) and solved again to "
        "a tighter tolerance. What was not searched may be worse.",
        "A certified policy is an affine map of the data and the noise, made from public data "
        "alone. Its ε holds for every pair of neighbours (PROVEN), its limits for every d of the "
        "domain; no solver runs on the private data.",
        "The noise level s is chosen with the rest: it is the noise as a multiple of the paper's. "
        "At s = 0 the release is a constant, which is private, often the cheapest, and tells "
        "nobody anything about d. At s ≥ 1 there is at least as much noise as in the paper.",
        "The distance is that of the release from the non-private answer, noise included (root "
        "mean square): over the domain for a policy, at its own d for PIQ-a. So is the loss.",
        "The violation of a policy is taken at the point of the domain that is worst for it. The "
        "worst row is the largest of many shares, so it lies a little above its expectation.",
    ),
    "loads": (
        "Loads are private where they are not zero, within 5% of the file's; the supply of 30% of "
        "the generators that can vary is released; α is 2% of the largest load. PIQ-a is "
        "asked for a plan at the file's loads only, a policy for all loads of the domain at once.",
        "Vertices: how many of 50 vertices of the domain, both extremes among them, have a "
        "feasible point at all. Below 100% no method keeps the limits on all of the domain.",
        "Where there is no feasible point without privacy (small-angle variants, sad, in the DC "
        "model), no method has an answer. A policy may be infeasible where PIQ-a is not: it "
        "keeps its limits for every load of the domain, PIQ-a for one.",
    ),
    "table1": (
        _VIOLATION,
        "The paper's PIQ-s on 57 and 118 nodes used 1000 plain scenarios, not the box it "
        "describes; the box is shown there as sampled box. So few scenarios certify nothing; "
        "on 118 nodes the printed pair is what about 1500 of them give.",
        _EACH,
        _PRIVACY,
    ),
    "table2": (
        _VIOLATION,
        "OP on 3 sums is printed as 0.62 (0.03). No 100 shares of 1000 draws have that mean and "
        "that deviation: the draws alone deviate by 0.25. Swapped, 0.03 (0.62), it agrees with "
        "ours. The loss of a single sum is 0.006 %, printed as 0.00.",
        "PSQ-s on 9 sums: in half of the instances no plan keeps all limits on the sampled box, "
        "and the means are over the others. The paper does not say what it did with such "
        "instances.",
        _EACH,
        _PRIVACY,
    ),
    "figure2": (
        "The paper prints Figure 2 as a picture without numbers, so only its shape can be "
        "compared: as φ grows the variance of the loss falls to zero, that of the solution falls "
        "too, and both cost expected loss.",
        "On the right the paper's curves start near 100 and end near tr Σ; ours start and end "
        "lower. With a linear cost the expected cost does not depend on the recourse, so at φ = 0 "
        "its variance is the solver's choice. The variance of a sum can be spread over the nodes "
        "of its cluster, so the whole can fall below tr Σ.",
    ),
    "drawing": (
        "The released supplies carry the noise. The other nodes whose supply varies take it up, so "
        "that supply meets demand at every draw; point at a line to see how much its flow varies.",
    ),
}
