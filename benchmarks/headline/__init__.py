"""Measure, then decide, beside the paper's plan and what else there is: same d, same draws.

python -m benchmarks.headline 14_ieee --instances 100 --out headline.jsonl
python -m benchmarks.headline 30_ieee --pglib --instances 20 --out headline.jsonl
python -m benchmarks.headline 14_ieee --out headline.jsonl --table

subject       one random instance, and what released values come to there
mechanisms    those that are compared: each makes released values, draw by draw
working       one mechanism on one instance: a time limit, and how it ended
journal       a line for each (network, seed, mechanism), so that a run can go on, or be extended
table         medians, ratios and paired differences
"""
