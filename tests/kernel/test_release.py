"""A release comes back from its file to the bit, shows its ground, and damage is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cases import toy
from tests.show.pictures.reading import reaches

import privopt as po
from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.claims.worth import Worth
from privopt.errors import InputError
from privopt.kernel.release import Release

steady = settings(
    deadline=None,
    max_examples=40,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
GUARANTEE = Guarantee(
    Claim.of(
        PrivacyTerms(100.0, 1e-5, 0.1, "laplace"),
        Provenance.ASSUMED,
        "the paper",
        Scope.NEIGHBOURS,
        ("unique optimum",),
    ),
    Claim.of(FeasibilityTerms(3, 0.05, each=True), Provenance.PROVEN, "quantiles", Scope.ROW),
)
KEYS = ["values", "names", "epsilon", "delta", "alpha", "scale", "exponent", "mechanism"]
ADDED = ["maker", "date"]


def example(values: list[float] | None = None, **more: Any) -> Release:
    given_values = np.array([0.1, -2.0, 1e-300] if values is None else values)
    fields: dict[str, Any] = {
        "values": given_values,
        "names": tuple(f"n{k}" for k in range(len(given_values))),
        "epsilon": 0.9999999999999999,
        "delta": 1e-5,
        "alpha": 0.1,
        "scale": 0.30000000000000004,
        "exponent": -42,
        "mechanism": "plan",
        "guarantee": GUARANTEE,
    }
    return Release(**(fields | more))


def damaged(path: Path, **changes: Any) -> Path:
    """A saved release with some entries replaced."""
    example().save(path)
    data = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(data))
    return path


@steady
@given(
    values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    epsilon=st.floats(1e-6, 100),
    exponent=st.integers(-1000, 900) | st.none(),
)
def test_save_and_load_keep_every_bit(
    tmp_path: Path, values: list[float], epsilon: float, exponent: int | None
) -> None:
    release = example(values, epsilon=epsilon, exponent=exponent)
    release.save(tmp_path / "release.json")
    found = Release.load(tmp_path / "release.json")
    assert found.values.tobytes() == release.values.tobytes()
    assert found.to_dict() == release.to_dict()
    assert found.guarantee == release.guarantee


def test_a_drawn_release_comes_back_to_the_bit(tmp_path: Path) -> None:
    plan = po.solve(
        toy(), po.Identity(["x"]), po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
    )
    release = plan.release()
    release.save(tmp_path / "release.json")
    found = Release.load(tmp_path / "release.json")
    assert found.values.tobytes() == release.values.tobytes()
    assert found.to_dict() == release.to_dict()


def test_worth_is_shown_with_the_values_and_kept_in_the_file(tmp_path: Path) -> None:
    errors, spreads = np.array([0.25, 1.5, 3.0]), np.array([1.0, 2.0, 2.5])
    worth = Worth(("n0", "n1", "n2"), errors, spreads, 0.9999999999999999, 0.1 * errors, errors, 9)
    release = example(worth=worth)
    release.save(tmp_path / "release.json")
    found = Release.load(tmp_path / "release.json")
    assert found.errors is not None
    assert found.errors.tobytes() == errors.tobytes()
    assert found == release
    assert found.worth is not None
    assert found.worth.to_dict() == worth.to_dict()
    for text in ("off by", "bias and noise", worth.verdict, "would be: n2."):
        assert text in " ".join(found.summary().split())
    bars = [row[0][1] for row in reaches(found.plot())]
    assert np.allclose(bars, 2 * errors, rtol=0.05)
    without = example()
    assert "errors" not in without.to_dict()
    assert "off by" not in without.summary()
    for bad in ([0.1, 0.2], [0.1, 0.2, None], "x", [0.1, 0.2, 1e999], [0.1, 0.2, -1.0]):
        with pytest.raises(InputError):
            Release.load(damaged(tmp_path / "bad.json", errors=bad))


def test_a_file_may_have_errors_alone(tmp_path: Path) -> None:
    found = Release.load(damaged(tmp_path / "plain.json", errors=[0.25, 1.5, 3.0]))
    assert found.errors is not None
    assert "off by" in found.summary()
    assert "constant:" not in found.summary()
    assert list(found.view().table.columns) == ["released", "off by"]
    assert found.to_dict()["errors"] == [0.25, 1.5, 3.0]
    assert "spreads" not in found.to_dict()


def test_a_promise_that_is_stronger_than_its_numbers_is_refused(tmp_path: Path) -> None:
    claims = example().to_dict()["guarantee"]
    for change in ({"epsilon": 0.5}, {"delta": 0.0}, {"alpha": 9.0}):
        terms = {**claims["privacy"]["terms"], **change}
        forged = {**claims, "privacy": {**claims["privacy"], "terms": terms}}
        with pytest.raises(InputError, match="not a whole release"):
            Release.load(damaged(tmp_path / "release.json", guarantee=forged))


def test_a_plans_release_does_not_say_how_far_off_it_is() -> None:
    """It depends on d."""
    noise, limits = po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
    assert po.solve(toy(), po.Identity(["x"]), noise, limits).release().errors is None


def test_the_repr_shows_values_charge_and_both_grounds() -> None:
    text = repr(example())
    for part in ("n0=0.1", "epsilon=1", "delta=1e-05", "ASSUMED", "PROVEN", "(row)"):
        assert part in text


def test_the_summary_tells_everything() -> None:
    text = example(epsilon=0.123456789).summary()
    for part in ("n0", "n1", "n2", "1e-300", "0.123456789", "the paper", "unique optimum"):
        assert part in text
    assert "privacy [ASSUMED]" in text
    assert "feasibility [PROVEN]" in text


def test_html_shows_values_and_grounds_and_escapes_names() -> None:
    release = example([1.5, 2.5], names=("<script>", "b&c"))
    text = release._repr_html_()
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "b&amp;c" in text
    for part in ("1.5", "2.5", "ASSUMED", "PROVEN"):
        assert part in text


def test_a_release_has_the_same_keys_whatever_d_is() -> None:
    """Nor status, cost, tries or run time among them."""
    releases = [
        po.solve(
            toy(d), po.Identity(["x"]), po.Laplace(epsilon=1.0, alpha=0.1), po.Analytic(eta=0.05)
        )
        .release()
        .to_dict()
        for d in (2.0, 6.0)
    ]
    assert list(releases[0]) == list(releases[1]) == [*KEYS, "guarantee", "ledger", *ADDED]
    assert [len(made["date"]) for made in releases] == [20, 20]
    fixed = [key for key in releases[0] if key not in ("values", "date")]
    assert [releases[0][key] for key in fixed] == [releases[1][key] for key in fixed]
