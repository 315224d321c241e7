"""What answers a question by noise on private numbers: a plan, or a baseline. The curator's."""

from __future__ import annotations

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.mechanisms.question import Question
from privopt.model.program import ConvexProgram
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
            alpha=self.privacy.alpha,
            scale=calibration.scale,
            exponent=exponent,
            mechanism=mechanism,
            guarantee=self.guarantee,
            ledger=entry,
        )
