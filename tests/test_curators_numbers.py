"""Neighbours as the curator has them (decimals, large integers, text) stay within the charge."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt import arrays
from privopt.app.data import read_values
from privopt.app.job import read_job

PAIRS = {  # a program of one private entry, in the curator's numbers, exactly alpha apart
    "int64": (np.array([2**53 + 1]), np.array([2**53 + 2]), 1.0),
    "Decimal": ([Decimal("1000000000000000.0620")], [Decimal("1000000000000000.0630")], 0.001),
}
FAR = 65_000_000


def program(d: Any = None) -> po.ConvexProgram:
    return po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], d=d)


def far_away(noise: Any, far: int = FAR) -> po.Instrument:
    domain = po.Box(far, far + 10.0)
    return po.Instrument([[1.0]], program=program(), privacy=noise, domain=domain)


def apart(instrument: po.Instrument, pairs: list[tuple[str, str]]) -> Fraction:
    """The largest distance of the noise's centres between neighbours given as decimals."""
    noise = instrument.calibration
    assert noise is not None

    exact = instrument.kernel.map

    def at(text: str) -> Fraction:
        return Fraction(float(exact.on_grid(np.array([float(text)]), noise.exponent)[0]))

    return max(abs(at(a) - at(b)) for a, b in pairs)


def decimals(alpha: str, far: int, count: int) -> list[tuple[str, str]]:
    """Pairs with five digits behind the point, exactly alpha apart."""
    pairs: list[tuple[str, str]] = []
    for i in range(count):
        a = Fraction(far) + Fraction((i * 37) % 4999, 100_000)
        b = a + Fraction(alpha)
        texts = (f"{Decimal(x.numerator) / Decimal(x.denominator):.5f}" for x in (a, b))
        first, second = texts
        assert Fraction(second) - Fraction(first) == Fraction(alpha)
        pairs.append((first, second))
    return pairs


@pytest.mark.long
@pytest.mark.parametrize("alpha", ["0.95", "0.7", "1.1"])
def test_decimals_exactly_alpha_apart_stay_within_the_charge(alpha: str) -> None:
    """At 65,000,000 floats are 7e-9 apart: 9e-9 of alpha beyond the charge without widening."""
    for far in (FAR, 1_000_003):
        instrument = far_away(po.Laplace(epsilon=300.0, alpha=float(alpha)), far)
        noise = instrument.calibration
        assert noise is not None
        most = apart(instrument, decimals(alpha, far, 2000))
        assert most <= Fraction(noise.sensitivity)
        assert most / Fraction(noise.scale) <= Fraction(noise.epsilon) <= 300
        claim = instrument.measure([far + 5]).claim
        assert claim is not None
        assert claim.label == "PROVEN"


def test_ten_releases_of_a_tenth_still_fit_a_limit_of_one(tmp_path: Path) -> None:
    instrument = far_away(po.Laplace(epsilon=0.1, alpha=0.95))
    with po.Ledger(tmp_path / "x.ledger", limit=po.Budget(1)) as ledger:
        for _ in range(10):
            instrument.measure([FAR + 5], ledger)
        with pytest.raises(po.errors.BudgetExceededError):
            instrument.measure([FAR + 5], ledger)


@pytest.mark.parametrize("name", PAIRS)
def test_input_perturbation_refuses_a_domain_that_floats_cannot_tell_apart(name: str) -> None:
    """By the public domain, whatever d is; the density ratio was e^125 where e^1 was claimed."""
    d, _, alpha = PAIRS[name]
    noise = po.Laplace(epsilon=1.0, alpha=alpha)
    far = float(d[0])
    for data in (d, [0.0]):
        with pytest.raises(po.errors.InputError, match="2\\^28"):
            po.input_perturbation(
                program(data), po.Identity([0]), noise, domain=po.Box(far - 100, far + 100)
            )


@pytest.mark.parametrize("name", PAIRS)
def test_input_perturbation_without_a_domain_proves_nothing(name: str) -> None:
    d, _, alpha = PAIRS[name]
    made = po.input_perturbation(program(d), po.Identity([0]), po.Laplace(epsilon=1.0, alpha=alpha))
    assert made.guarantee.privacy.label == "ASSUMED"
    assert "Box" in made.guarantee.privacy.because
    assert made.release().guarantee.privacy.label == "ASSUMED"


@pytest.mark.long
@pytest.mark.parametrize("far", [0, 1, 12_345, -65_000_000, 100_000_000])
def test_input_perturbation_covers_neighbours_in_and_outside_its_domain(far: int) -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.95)
    domain = po.Box(far - 1.0, far + 1.0)
    worst, made = Fraction(0), None
    for i in range(60):
        a = Decimal(far) + Decimal(i * 7919 % 10_007) / Decimal(4000) - Decimal("1.3")
        centres: list[Fraction] = []
        for d in (a, a + Decimal("0.95")):
            made = po.input_perturbation(program([d]), po.Identity([0]), noise, domain=domain)
            assert made.guarantee.privacy.label == "PROVEN"
            centres.append(Fraction(float(made.centre[0])))
            assert far - 1 <= centres[-1] <= far + 1
        worst = max(worst, abs(centres[1] - centres[0]))
    assert made is not None
    assert worst <= Fraction(made.calibration.sensitivity)
    assert worst / Fraction(made.calibration.scale) <= Fraction(made.calibration.epsilon) <= 1
    assert worst >= Fraction("0.9499")


def test_clamping_decides_the_request_under_a_key(tmp_path: Path) -> None:
    noise = po.Laplace(epsilon=0.1, alpha=1.0)
    with po.Ledger(tmp_path / "x.ledger", limit=po.Budget(1)) as ledger:
        for upper in (5.0, 6.0):
            made = po.input_perturbation(
                program([4.0]), po.Identity([0]), noise, domain=po.Box(0.0, upper)
            )
            if upper == 5.0:
                made.release(ledger, key="k")
                assert made.release(ledger, key="k").replayed
            else:
                with pytest.raises(po.errors.KeyUsedError):
                    made.release(ledger, key="k")


HARD = [  # between two floats, so close to the middle that a second rounding would go wrong
    2**53 + 1,
    2**64 + 2**11 + 1,
    2**66 + 2**13 + 1,
    10**25 + 1,
    Decimal(2**53 + 1) + Decimal("1e-30"),
    Fraction(2**54 + 3, 2) + Fraction(1, 10**40),
    Decimal("0.1"),
]


@pytest.mark.parametrize("value", HARD, ids=str)
def test_every_number_is_rounded_once(value: Any) -> None:
    exact = Fraction(value)
    forms: list[Any] = [
        [value],
        [value, 0.5],
        [value, np.longdouble(1)],
        [value, np.float32(1), np.int8(2)],
        np.array([value], dtype=object),
        pd.Series([value]),
        pd.Series([value], dtype=object),
    ]
    if isinstance(value, int) and value < 2**64:
        forms += [np.array([value], dtype=np.uint64), pd.Series([value], dtype="UInt64")]
    for form in forms:
        plain = form.to_numpy() if arrays.is_series(form) else form
        got = arrays.numbers(plain)
        assert got is not None
        private = arrays.numbers(plain, beyond=True)
        assert private is not None
        assert private.tolist() == got.tolist()
        off = abs(Fraction(float(got[0])) - exact)
        for other in (np.nextafter(got[0], -np.inf), np.nextafter(got[0], np.inf)):
            assert off <= abs(Fraction(float(other)) - exact), form


def test_text_is_rounded_once(tmp_path: Path) -> None:
    texts = ["9007199254740993", "1000000000000000.0620", "0.1", "36893488147419107329.0"]
    (tmp_path / "d.csv").write_text("".join(f"x{k},{v}\n" for k, v in enumerate(texts)))
    (tmp_path / "d.json").write_text(
        "{" + ",".join(f'"x{k}":{v}' for k, v in enumerate(texts)) + "}"
    )
    names = [f"x{k}" for k in range(len(texts))]
    known = [float(Fraction(text)) for text in texts]
    for kind in ("csv", "json"):
        assert read_values(tmp_path / f"d.{kind}", names).tolist() == known


EDGE = 2**1024 - 2**970  # the smallest integer that rounds to no float
BEYOND: list[Any] = [
    EDGE - 1,
    EDGE,
    10**400,
    Decimal(EDGE),
    Decimal("1e400"),
    Fraction(3 * EDGE, 2),
    np.longdouble("1e400"),
    np.longdouble("1e308"),
]
DOMAIN = po.Box(10.0, 20.0)
BOUNDED = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], lower=-1e3, upper=1e3)
NOISE, KEPT = po.Laplace(epsilon=1.0, alpha=1.0), po.ExactBox(eta=0.1)


def forms(value: Any) -> list[Any]:
    """The number in the containers of a curator; pandas itself makes floats of long doubles."""
    found = [[value], (value,), np.array([value]), np.array([value], object)]
    long = isinstance(value, np.longdouble)
    return found if long else [*found, pd.Series([value], ["d[0]"])]


@pytest.mark.parametrize("value", BEYOND, ids=lambda one: type(one).__name__)
def test_a_number_that_no_float_holds_is_clamped_like_any_other(value: Any) -> None:
    """Whether it is refused separated neighbours: 2^1024 - 2^970 - 1 was answered, one more not."""
    one = po.Instrument([[1.0]], program=BOUNDED, privacy=NOISE, domain=DOMAIN)
    exact = one.kernel.map
    for sign, end in ((1, 20.0), (-1, 10.0)):
        for d in forms(value * sign):
            private = one.kernel.entries(d)
            assert (exact.clamped(private) == exact.clamped(np.array([end]))).all()
            made = po.input_perturbation(BOUNDED.at(d), po.Identity([0]), NOISE, domain=DOMAIN)
            assert made.centre.tolist() == [end]
        one.measure([value * sign])


@pytest.mark.parametrize(
    "text",
    ["1e400", "1E+99999999", f"{EDGE}", f"{EDGE - 1}", "9" * 5000, "1" * 500 + ".5", "1.5e309"],
    ids=lambda text: text[:12],
)
def test_files_hold_numbers_of_any_size(tmp_path: Path, text: str) -> None:
    (tmp_path / "d.csv").write_text(f"x,{text}\ny,-{text}\nz,1\n")
    (tmp_path / "d.json").write_text(f"[{text}, -{text}, 1]")
    (tmp_path / "e.json").write_text(f'{{"z": 1, "x": {text}, "y": -{text}}}')
    found = [read_values(tmp_path / name, "xyz").tolist() for name in ("d.csv", "d.json", "e.json")]
    if len(text) < 4300:  # Python reads no longer integers
        (tmp_path / "job.toml").write_text(f"[data]\nvalues = [{text}, -{text}, 1]\n")
        found.append(read_job(tmp_path / "job.toml").d("xyz").tolist())
    largest = sys.float_info.max
    assert found == [[largest, -largest, 1.0]] * len(found)


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "NaN", "1e", "x", "1__0", "0x1p2"])
def test_what_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "d.csv").write_text(f"z,1\nx,{text}\n")
    (tmp_path / "d.json").write_text(f"[1, {text}]")
    (tmp_path / "job.toml").write_text(f"[data]\nvalues = [1, {text}]\n")
    for read in (
        lambda: read_values(tmp_path / "d.csv", "zx"),
        lambda: read_values(tmp_path / "d.json", "zx"),
        lambda: read_job(tmp_path / "job.toml"),
    ):
        with pytest.raises(po.errors.InputError):
            read()


@pytest.mark.parametrize(
    "bad", [np.nan, np.inf, -np.inf, Decimal("NaN"), Decimal("-Infinity"), "x"]
)
def test_what_is_no_number_is_refused_in_python(bad: Any) -> None:
    for d in forms(bad):
        with pytest.raises(po.errors.InputError):
            BOUNDED.at(d)


def test_without_a_domain_such_numbers_are_refused() -> None:
    for run in (
        lambda: BOUNDED.at([EDGE]).solve(),
        lambda: BOUNDED.solve(d=np.array([-(10**400)])),
        lambda: po.solve(BOUNDED.at([EDGE]), po.Identity([0]), NOISE, KEPT),
        lambda: po.input_perturbation(BOUNDED.at([EDGE]), po.Identity([0]), NOISE),
        lambda: po.assess.lower_bound(
            po.ConvexProgram(quadratic=[1, 1], G=[[1, 0], [0, 1]], d=[1, 10**400], private=[0]),
            po.Identity([0]),
            NOISE,
            domain=DOMAIN,
        ),
    ):
        with pytest.raises(po.errors.InputError, match="no float holds"):
            run()
    for public in ({"linear": [10**400, 1]}, {"G": [[1, 10**400]]}):
        with pytest.raises(po.errors.InputError):
            po.ConvexProgram(**{"G": [[1, 1]], **public})


@pytest.mark.parametrize("text", ["inf", "-Infinity", " 1e400 ", "-1e400"])
def test_text_that_says_infinity_is_not_a_number_beyond_the_floats(text: str) -> None:
    infinite = "inf" in text.lower()
    assert np.isinf(arrays.held(text)) == infinite
