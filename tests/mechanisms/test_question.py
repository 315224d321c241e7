"""A question: checked once, and public facts that are found once and never read d."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.mechanisms.planning import planned
from privopt.mechanisms.question import Question

ONE = po.Identity(["x"])
LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
ROWS = po.Analytic(eta=0.05)


class Counting:
    """A query that counts how often it is read."""

    def __init__(self) -> None:
        self.read = 0

    def matrix(self, program: po.ConvexProgram) -> Any:
        self.read += 1
        return ONE.matrix(program)

    def names(self, program: po.ConvexProgram) -> tuple[str, ...]:
        return ONE.names(program)


def test_a_plan_needs_a_feasibility_and_the_optimum_does_not() -> None:
    question = Question(toy(), ONE, LAPLACE)
    assert question.calibration.scale > 0
    with pytest.raises(po.errors.InputError, match="feasibility is NoneType"):
        planned(question)
    with pytest.raises(po.errors.InputError, match="feasibility is NoneType"):
        po.solve(toy(), ONE, LAPLACE, None)  # pyright: ignore[reportArgumentType]


def test_questions_that_differ_elsewhere_share_what_the_query_says() -> None:
    query = Counting()
    question = Question(toy(), query, LAPLACE, ROWS)
    assert (question.calibration.size, question.names) == (1, ("x",))
    louder = po.Laplace(epsilon=0.5, alpha=0.1)
    others = [
        question.at(np.array([5.0])), question.under(louder), question.under(rng=3),
        question.under(feasibility=po.ExactBox(eta=0.1)), question.started(),
    ]  # fmt: skip
    for one in (question, *others):
        assert one.S is question.S
        assert one.names is question.names
    assert query.read == 1
    assert others[0].program.d.tolist() == [5.0]
    assert question.program.d.tolist() == [6.0]
    assert others[1].calibration.scale == pytest.approx(2 * question.calibration.scale)
    assert others[2].rng == 3


def test_facts_do_not_depend_on_d() -> None:
    first, second = (Question(toy(d), ONE, LAPLACE, ROWS) for d in (6.0, 5.0))
    assert first.calibration == second.calibration
    assert first.claim == second.claim
    assert first.choices == second.choices


def test_choices_tell_objectives_limits_and_repetition_apart() -> None:
    others: list[dict[str, Any]] = [
        {}, {"objective": po.SolutionDeviation(phi=0.1)}, {"repeat": po.Repeat(mu=0.01)},
        {"feasibility": po.Analytic(eta=0.04)}, {"feasibility": po.ExactBox(eta=0.05)},
    ]  # fmt: skip
    asked = {"feasibility": ROWS}
    made = [Question(toy(), ONE, LAPLACE, **(asked | more)).choices for more in others]
    assert len({tuple(one.items()) for one in made}) == len(made)
