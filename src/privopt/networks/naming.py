"""What the variables and rows of a network are called: by the numbers of its buses."""

from __future__ import annotations

from collections import Counter

from privopt.networks.network import Network

__all__ = ["counted", "line_names", "unit_names"]


def unit_names(network: Network) -> list[str]:
    """`bus`, or `bus,unit` where a bus has several units (counted from 1)."""
    numbers = network.buses.number[network.generators.bus].tolist()
    return counted([(str(number),) for number in numbers])


def line_names(network: Network) -> list[tuple[str, str]]:
    """`f,t` and `t,f` of each line; `f,t,k` where several join the same two buses."""
    numbers, lines = network.buses.number, network.branches
    ends = list(zip(numbers[lines.source].tolist(), numbers[lines.target].tolist(), strict=True))
    labels = counted([(str(min(end)), str(max(end))) for end in ends])
    names: list[tuple[str, str]] = []
    for (source, target), label in zip(ends, labels, strict=True):
        rest = label.split(",")[2:]
        names.append((",".join([str(source), str(target), *rest]),
                      ",".join([str(target), str(source), *rest])))  # fmt: skip
    return names


def counted(keys: list[tuple[str, ...]]) -> list[str]:
    """Each key joined by commas, with a count from 1 after it where it comes more than once."""
    several = {key for key, count in Counter(keys).items() if count > 1}
    seen: Counter[tuple[str, ...]] = Counter()
    labels: list[str] = []
    for key in keys:
        seen[key] += 1
        labels.append(",".join([*key, str(seen[key])] if key in several else key))
    return labels
