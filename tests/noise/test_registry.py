"""Families by the names that jobs, files and claims call them; two of a name are refused."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.errors import InputError
from privopt.noise import registry

MADE = [
    po.Laplace(epsilon=0.5, alpha=0.02),
    po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.02),
    po.TruncatedLaplace(epsilon=0.5, delta=1e-3, alpha=0.02),
]


def test_every_family_is_found_by_both_of_its_names() -> None:
    assert [type(noise) for noise in MADE] == registry.FAMILIES
    for family in registry.FAMILIES:
        assert registry.named(family.name) is family
        assert registry.of_kind(family.kind) is family
    for key in ("name", "kind"):
        assert len({getattr(family, key) for family in registry.FAMILIES}) == 3


@pytest.mark.parametrize("noise", MADE, ids=lambda noise: noise.name)
def test_plain_data_and_back(noise: po.Laplace) -> None:
    data = noise.to_dict()
    again = registry.from_dict(data)
    assert type(again) is type(noise)
    assert again.to_dict() == data
    assert (again.epsilon, again.delta, again.alpha) == (noise.epsilon, noise.delta, noise.alpha)
    with pytest.raises(ValueError):
        registry.from_dict(data | {"kind": "cauchy"})
    with pytest.raises(TypeError):
        registry.from_dict(data | {"more": 1})


def test_what_is_not_there() -> None:
    assert registry.of_kind("cauchy") is None
    for name in ("cauchy", "", "Laplace "):
        with pytest.raises(ValueError):
            registry.named(name)


def test_two_of_a_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FAMILIES", [po.Laplace, po.Gaussian, po.Laplace])
    with pytest.raises(InputError, match="two noise families are called"):
        registry.named(po.Laplace.name)
    with pytest.raises(InputError, match="two noise families are called"):
        registry.of_kind(po.Laplace.kind)
    assert registry.named(po.Gaussian.name) is po.Gaussian
