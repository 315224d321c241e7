"""What answers a question by noise on private numbers: a plan, or a baseline. The curator's.

The request of its release is made of public data alone; its subject is a digest of the program, the
public data and the claims.
"""

from __future__ import annotations

from collections.abc import Mapping

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.units import UnitLabels, unit_of
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.ledger.request import Request
from privopt.mechanisms.question import Question
from privopt.model.matrix_file import matrix
from privopt.model.program import ConvexProgram
from privopt.model.program_file import program_to_dict, public_data
from privopt.model.query import Query
from privopt.noise.calibration import Calibration, Privacy
from privopt.record import digest
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
