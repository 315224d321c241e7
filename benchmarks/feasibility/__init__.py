"""Does a decision fail as seldom as it says? The paper's instances, at vertices and inside.

    python -m benchmarks.feasibility 3_lmbd 14_ieee --out feasibility.jsonl
    python -m benchmarks.feasibility 3_lmbd 14_ieee --out feasibility.jsonl --table
    python -m benchmarks.feasibility random --out feasibility.jsonl

Promised, for every d:  P(a decision was made and cannot be completed) <= P(d not in U(y)) <= eta,
and never with bounded noise. Three kinds of work, each a share with its Clopper-Pearson interval:

    leaving     10^5 simulated measurements a cell: how often d lies outside U(y)
    deciding    simulated measurements, real decisions, completed at d by HiGHS: how often it fails
    edge        the same with d at the very edge of U(y), inside it: none may fail

cell               where d lies, which sums are measured, with what noise
leaving            the first
deciding           the other two
completing         a linear program that knows nothing of privopt's own completion test
random_programs    the same for the random programs of the tests
table              one line for each network, noise and kind of work
"""
