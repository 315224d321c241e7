"""What answers a question by noise on private numbers: a plan, or a baseline. The curator's.

The request of its release is made of public data alone. Its subject is a digest of the program, the
public data and the claims, and version 0.1.0 put claims in other words. The output that it stored
under a key states them in those. So a charge of 0.1.0 is for the request made here, and is
replayed, if

    the requests differ in the subject alone
    its subject is the digest with the words of its own output in the place of ours
    those words say what is claimed here: the same ground, and of the limits the same numbers
    its values have the same names

(The numbers of the privacy claim are in the request itself.) 0.1.0 stored neither the objective nor
an eta for each row, so a plan is asked about only if it has the defaults: the expected cost and one
eta. Every other key is refused. Versions before 0.2.0 also charged up to the float epsilon where it
is above the decimal that was written: the noise that they made is made again and compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from privopt.arrays import Vector
from privopt.claims.guarantee import Claim, Guarantee
from privopt.claims.units import UnitLabels, unit_of
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request, digest
from privopt.mechanisms.question import Question
from privopt.model.matrix_file import matrix
from privopt.model.program import ConvexProgram
from privopt.model.program_file import program_to_dict, public_data
from privopt.model.query import Query
from privopt.noise.calibration import Calibration, Privacy
from privopt.show.result import PrivateResult

__all__ = ["Answer"]


class Answer(PrivateResult):
    """A question, the noise that came of it, and what is claimed of a release."""

    question: Question
    calibration: Calibration
    guarantee: Guarantee

    @property
    def program(self) -> ConvexProgram:
        """The program, with its d."""
        return self.question.program

    @property
    def query(self) -> Query:
        """What is released."""
        return self.question.query

    @property
    def privacy(self) -> Privacy:
        """The noise that was asked for."""
        return self.question.privacy

    def _release(
        self, values: Vector, mechanism: str, exponent: int | None, entry: Entry | None
    ) -> Release:
        calibration = self.calibration
        return Release(
            values=values,
            names=self.question.names,
            epsilon=calibration.epsilon,
            delta=calibration.delta,
            alpha=self.privacy.one_alpha,
            scale=calibration.scale,
            exponent=exponent,
            mechanism=mechanism,
            guarantee=self.guarantee,
            ledger=entry,
            units=self._units,
        )

    @property
    def _units(self) -> UnitLabels | None:
        """What the released values are counted in, if that is known."""
        units = self.program.units
        return None if units is None else units.of_rows(self.question.S)

    def _request(self, mechanism: str, more: Mapping[str, object] | None = None) -> Request:
        """What a release is charged for; `more`: public data and choices that decide its values."""
        return Request.of(
            self.privacy,
            self.calibration,
            mechanism=mechanism,
            provenance=self.guarantee.privacy.provenance.value,
            private=self.program.private_names,
            subject=self._subject(
                self.guarantee.to_dict(), {"names": list(self.question.names), **(more or {})}
            ),
            query=digest(matrix(self.question.S)),
            unit=unit_of(self.program),
        )

    def _subject(self, claims: object, more: Mapping[str, object]) -> str:
        described = program_to_dict(self.program)
        described.pop("constant", None)  # it decides nothing that is released
        public = {"program": described, "data": public_data(self.program)}
        return digest({**public, "guarantee": claims, **more})

    def _earlier(self, ledger: Ledger, row: int, request: Request) -> bytes | None:
        """What an earlier version stored for this very request in a row; None if it did not."""
        charge, stored = ledger.find(row)
        if charge is None or charge.request is None:
            return None
        old, output = Request.read(charge.request), None if stored is None else stored.output
        different = request.differences(old)
        if "scale" in different:  # they charged up to the float epsilon, by a little less noise
            before = self.question.calibrated(Fraction(self.privacy.epsilon))
            request = replace(request, own_epsilon=before.epsilon, scale=before.scale)
            different = request.differences(old)
            if not different:
                return output
        if output is None or different != ("subject",) or charge.legacy is None:
            return None
        if not self.question.usual:
            return None
        try:
            stated = json.loads(output)
            words = stated["guarantee"]
            said = Guarantee.from_dict(words)
            same = (
                old.subject == self._subject(words, {})
                and tuple(stated["names"]) == self.question.names
            )
        except (ValueError, LookupError, TypeError, RecursionError):
            return None
        here = self.guarantee
        same = (
            same
            and _ground(said.privacy) == _ground(here.privacy)
            and _ground(said.feasibility) == _ground(here.feasibility)
            and said.feasibility.statement == here.feasibility.statement  # made of its numbers
        )
        return output if same else None


def _ground(claim: Claim) -> tuple[object, ...]:
    return claim.provenance, claim.because, claim.scope, claim.confidence
