"""A question: checked once, and public facts that are found once and never read d."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.cases import toy

import privopt as po
from privopt.mechanisms.planning import planned
from privopt.mechanisms.question import Question, check_arguments
from privopt.model.magnitude import public_bound
from privopt.noise.calibration import query_sensitivity

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


@pytest.mark.parametrize(
    "wrong",
    [
        {"program": None}, {"query": po.Identity}, {"privacy": 1.0}, {"feasibility": "rows"},
        {"objective": 0.5}, {"repeat": 2}, {"settings": {}},
    ],
)  # fmt: skip
def test_what_is_of_another_kind_is_refused_by_its_name(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "program": toy(), "query": ONE, "privacy": LAPLACE, "feasibility": ROWS,
    }  # fmt: skip
    with pytest.raises(po.errors.InputError, match=f"^{next(iter(wrong))} is"):
        Question(**(right | wrong))


def test_a_plan_needs_a_feasibility_and_the_optimum_does_not() -> None:
    question = Question(toy(), ONE, LAPLACE)
    assert question.calibration.scale > 0
    with pytest.raises(po.errors.InputError, match="feasibility is NoneType"):
        planned(question)
    with pytest.raises(po.errors.InputError, match="feasibility is NoneType"):
        po.solve(toy(), ONE, LAPLACE, None)  # pyright: ignore[reportArgumentType]


def test_facts_are_those_of_program_query_and_noise() -> None:
    question = Question(toy(), ONE, LAPLACE, ROWS, repeat=po.Repeat(mu=0.01))
    S = ONE.matrix(toy())
    assert question.S.toarray().tolist() == S.toarray().tolist()
    assert question.names == ("x",)
    assert question.bound == public_bound(toy(), S)
    assert question.tries == po.Repeat(mu=0.01).tries(ROWS) > 1
    Delta = query_sensitivity(LAPLACE, S)
    made = LAPLACE.calibrate(1, Delta, bound=question.bound, tries=question.tries)
    assert question.calibration == made


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


def test_its_repr_shows_nothing() -> None:
    assert "5.054" not in repr(Question(toy(5.054321), ONE, LAPLACE, ROWS))


def test_a_class_in_place_of_an_object_is_named_as_such() -> None:
    with pytest.raises(po.errors.InputError, match="the class Laplace"):
        check_arguments(privacy=po.Laplace)


def test_what_may_be_none_may() -> None:
    check_arguments(repeat=None, settings=None)
    with pytest.raises(po.errors.InputError):
        check_arguments(query=None)
