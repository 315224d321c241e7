"""A claim keeps every word on its way through str and JSON, and cannot be changed."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.foreign import shown

steady = settings(deadline=None, max_examples=50, derandomize=True)
claims = st.builds(
    Claim,
    st.text(),
    st.sampled_from(Provenance),
    st.text(),
    st.sampled_from(Scope),
    st.lists(st.text(), max_size=3).map(tuple),
    st.floats(0, 1),
)


@steady
@given(guarantee=st.builds(Guarantee, claims, claims))
def test_json_gives_back_the_same_guarantee(guarantee: Guarantee) -> None:
    text = json.dumps(guarantee.to_dict(), allow_nan=False)
    assert Guarantee.from_dict(json.loads(text)) == guarantee


@steady
@given(claim=claims)
def test_the_words_of_a_claim_come_with_provenance_and_scope(claim: Claim) -> None:
    claimed = f"{claim.provenance.name}, {claim.scope.value}"
    label = "NO CLAIM" if claim.scope is Scope.NONE else claimed
    assert str(claim) == f"{shown(claim.statement)} [{label}]"


def test_a_claim_cannot_be_upgraded_in_place() -> None:
    claim = Claim("s", Provenance.ASSUMED, "b", Scope.ROW)
    with pytest.raises(dataclasses.FrozenInstanceError):
        claim.provenance = Provenance.PROVEN  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(("key", "value"), [("provenance", "SURE"), ("scope", "most")])
def test_unknown_words_are_not_read_as_something_else(key: str, value: str) -> None:
    data = Claim("s", Provenance.ASSUMED, "b", Scope.ROW).to_dict()
    with pytest.raises(ValueError, match=value):
        Claim.from_dict(data | {key: value})
