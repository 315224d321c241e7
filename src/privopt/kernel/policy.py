"""What a policy does with d: clamp, multiply in exact integers, add noise. All of it is here.

    y = round(map(clamp(d))) + noise      the map in integers (`fixed`), the noise on its grid

The sensitivity of the map is an exact fraction, and the noise was calibrated to it; both are looked
at again when a policy is read from a file, and the claim is made anew from them. What a file says
of program, cost and margins is not needed for that: a release from a saved policy solves nothing
and loads no solver.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.privacy import policy_claim
from privopt.claims.rule import Rule, rule_claim
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth, narrow_entries
from privopt.claims.worth_file import policy_worth
from privopt.discreet import discreet
from privopt.errors import InputError, SolverError
from privopt.kernel import wire
from privopt.kernel.fixed import FixedMap
from privopt.kernel.release import Release
from privopt.kernel.releasing import released
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request, digest
from privopt.noise import registry
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.calibration_file import calibration_from_dict, made_to_dict
from privopt.plain import entries_from_dict, listed, texts, written_matrix

__all__ = ["Identity", "PolicyKernel", "calibrated", "charged"]

Identity: TypeAlias = tuple[str, str]  # digests of the whole policy and of its query


@dataclass(frozen=True, repr=False, eq=False)
class PolicyKernel:
    """The part of a policy that reads d.

    Attributes
    ----------
    names
        Names of the released values.
    data_names, private
        Names of the entries of d, and the positions of those that are read.
    privacy, calibration
        What was asked, and the noise that came of it; None where the release is a constant and
        costs nothing.
    map
        The released part of the policy, in exact integers.
    guarantee
        What is claimed: of privacy by this map and noise, of feasibility by the design.
    identity
        By which a ledger knows the policy: digests of its file. None if it was not read from one.
    mechanism
        What a release of it is called: "policy", or "measurement" of an instrument.
    rule
        What is made of the noisy map, if that is a measurement; None: it is released as it is.
    worth
        Expected error of each value, bias and noise, and that of the mean answer, as the design
        found them on public draws. A release repeats them; nothing is claimed with them.
    units
        What the data and the values are counted in, if that is known: a release says so.
    """

    kind: ClassVar[str] = "policy"
    version: ClassVar[int] = 3

    names: tuple[str, ...]
    data_names: tuple[str, ...]
    private: NDArray[np.int64]
    privacy: Privacy
    map: FixedMap
    calibration: Calibration | None
    guarantee: Guarantee
    identity: Identity | None = None
    mechanism: str = "policy"
    rule: Rule | None = None
    worth: Worth | None = None
    units: UnitLabels | None = None

    def __repr__(self) -> str:
        return f"PolicyKernel({len(self.names)} values of {len(self.private)} private entries)"

    def release(
        self,
        d: Any,  # noqa: ANN401
        ledger: Ledger | None = None,
        key: str | None = None,
        *,
        identity: Callable[[], Identity] | None = None,
    ) -> Release:
        """Release the values for the private data d; see `Policy.release`.

        `identity` gives the digests of a policy that was not read from a file.
        """
        arrays.check_length(d, len(self.data_names), "d", labels=self.data_names)
        known = self.identity or (identity() if identity is not None else None)

        def request() -> Request:
            if known is None:
                raise InputError(
                    "this policy has no file by which a ledger could know it.",
                    "a policy that was read from its file, or designed here.",
                    "call release of the Policy itself.",
                )
            return self.request(known)

        maker = "" if known is None else known[0]
        return released(request, lambda entry: self._made(d, entry), ledger, key, lambda: maker)

    @property
    def middle(self) -> Vector:
        """What is released at the middle of the domain, without noise."""
        return self.map.middle if self.rule is None else self.rule.at(self.map.middle)

    def request(self, identity: Identity) -> Request:
        """What a release is charged for: public parameters, and digests of the policy."""
        return Request.of(
            self.privacy,
            self.calibration,
            mechanism=self.mechanism,
            provenance=self.guarantee.privacy.provenance.value,
            private=[self.data_names[int(i)] for i in self.private],
            subject=identity[0],
            query=identity[1],
            unit=None if self.units is None else self.units.data,
        )

    def entries(self, d: Any) -> Vector:  # noqa: ANN401
        """The private entries of d. Nothing about their values is said if they will not do."""
        return arrays.curated(d, len(self.data_names), "d", self.data_names)[self.private]

    @discreet
    def _made(self, d: Any, entry: Entry | None) -> Release:  # noqa: ANN401
        private, noise = self.entries(d), self.calibration
        if noise is None:
            values = self.map.middle
        else:
            values = noise.draw(self.map.on_grid(private, noise.exponent))
        return self.as_release(values if self.rule is None else self.rule.at(values), entry)

    def as_release(self, values: Vector, entry: Entry | None) -> Release:
        """Values that were drawn, with their charge and what is claimed of them."""
        noise = self.calibration
        return Release(
            values=values,
            names=self.names,
            epsilon=0.0 if noise is None else noise.epsilon,
            delta=0.0 if noise is None else noise.delta,
            alpha=self.privacy.neighbours.largest,
            scale=0.0 if noise is None else noise.scale,
            exponent=None if noise is None or self.rule is not None else noise.exponent,
            mechanism=self.mechanism,
            guarantee=self.guarantee,
            ledger=entry,
            worth=self.worth,
            units=self.units,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what is needed of a saved policy."""
        return wire.load(cls, path)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """That part of a policy's plain data; ValueError or KeyError if it is none."""
        privacy, exact = registry.from_dict(data["noise"]), FixedMap.from_dict(data["map"])
        p, program, given = len(listed(data["names"])), data["program"], data["calibration"]
        rule = Rule.from_dict(data["rule"], p) if "rule" in data else None
        size = p if rule is None else len(rule.sums)
        data_names, private = entries_from_dict(program)
        if exact.matrix.shape != (size, len(private)):
            raise ValueError
        bound = exact.bound()
        noise = None if given is None else calibration_from_dict(privacy, given, size, bound)
        noise = charged(privacy, exact, noise)
        if noise is None or rule is None:
            claim = policy_claim(privacy, noise)
        else:
            claim = rule_claim(privacy, noise)
        claims = Guarantee.from_dict(data["guarantee"])
        own = [data_names[int(i)] for i in private]
        narrow = narrow_entries(own, exact.box, privacy.neighbours)
        return cls(
            names=texts(data["names"], p),
            data_names=data_names,
            private=private,
            privacy=privacy,
            map=exact,
            calibration=noise,
            guarantee=Guarantee(claim, claims.feasibility),
            identity=(
                digest({name: item for name, item in data.items() if name not in wire.HEAD}),
                digest(written_matrix(data["query"])),
            ),
            rule=rule,
            worth=policy_worth(data, noise, rule, narrow),
            units=UnitLabels.from_dict(data["units"], p) if "units" in data else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """That part of a policy's plain data."""
        return {
            "names": list(self.names),
            "noise": self.privacy.to_dict(),
            "map": self.map.to_dict(),
            "guarantee": self.guarantee.to_dict(),
            "calibration": made_to_dict(self.privacy, self.calibration, self.map.bound()),
            **({} if self.rule is None else {"rule": self.rule.to_dict()}),
            **({} if self.units is None else {"units": self.units.to_dict()}),
        }


def calibrated(privacy: Privacy, exact: FixedMap, unit: Calibration, least: float) -> Calibration:
    """Noise for the exact sensitivity of a map, grid included, of at least a given scale.

    `unit` is noise of ordinary size, from whose grid the search for a finer one starts.
    """
    p, k = len(exact.offset), unit.exponent - 60
    bound, relation = exact.bound(), privacy.neighbours.widened(*exact.box)
    wanted = 0.0
    for _ in range(20):
        Delta = max(exact.sensitivity(relation, privacy.order, k), wanted)
        found = privacy.calibrate(p, Delta, bound=bound)
        if found.scale < least:
            wanted = Delta * (least / found.scale) * (1 + 1e-13)
        elif found.exponent <= k:
            return found
        k = max(k, found.exponent)
    raise SolverError(
        "no grid was found for this noise.",
        "noise of ordinary size.",
        "use a larger floor, or epsilon and alpha of ordinary size.",
    )


def charged(privacy: Privacy, exact: FixedMap, noise: Calibration | None) -> Calibration | None:
    """The noise with what it costs for the curator's neighbours.

    A policy whose noise does not cover the sensitivity of its map is refused. Version 0.1.0
    calibrated to data that are alpha apart as floats: where that is less than what neighbours can
    be apart, the noise stays as it is and the charge is what is true of it, above what was asked.
    """
    relation = privacy.neighbours
    relation.groups(len(exact.low))  # ValueError, if it is about another number of entries
    if noise is None:
        if any(int(value) for value in exact.matrix.ravel()) or exact.bound() == math.inf:
            raise ValueError
        return None
    order, k = privacy.order, noise.exponent
    if exact.sensitivity(relation, order, k) > noise.sensitivity:
        raise ValueError
    Delta = exact.sensitivity(relation.widened(*exact.box), order, k)
    return noise if Delta <= noise.sensitivity else privacy.recharged(noise, Delta)
