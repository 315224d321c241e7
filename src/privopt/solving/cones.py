"""Slacks and multipliers in a cone: nonnegative numbers, then second-order cones of one size.

For a slack s and a multiplier y inside the cone, the scaling W of Nesterov and Todd has

    W y = W^-1 s = lambda,      W^2 = s / y for numbers,  W^2 = eta^2 (2 w w' - J) for a cone

with J = diag(1, -1, .., -1) and w'J w = 1. Interior-point steps need W^2, its inverse, and the
product u o v = (u'v, u_0 v_1 + v_0 u_1) in scaled coordinates, in which both parts look alike.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense, Vector

__all__ = ["Weights", "inward", "reach"]


class Weights:
    """The scaling of a slack and a multiplier.

    Attributes
    ----------
    linear
        y / s of the nonnegative part.
    eta, w
        Of the second-order cones, one row of w for each.
    """

    def __init__(self, s: Vector, dual: Vector, cones: tuple[int, int]) -> None:
        self.shape = cones
        self._m = len(s) - cones[0] * cones[1]
        self._s, self._dual = s, dual
        self.linear: Vector = dual[: self._m] / s[: self._m]
        self.eta, self.w = np.ones(0), np.zeros(cones)
        if cones[0]:
            S, Y = self.round(s), self.round(dual)
            deep, high = np.sqrt(_depth(S)), np.sqrt(_depth(Y))
            S, Y = S / deep[:, None], Y / high[:, None]
            middle = np.sqrt(0.5 * (1 + (S * Y).sum(axis=1)))
            Y[:, 1:] *= -1.0
            self.w = 0.5 * (S + Y) / middle[:, None]
            # On w'J w = 1 to rounding.
            self.w[:, 0] = np.sqrt(1 + np.square(self.w[:, 1:]).sum(axis=1))
            self.eta = np.sqrt(deep / high)
            self._lambda = self._times(Y * np.where(np.arange(cones[1]) > 0, -1.0, 1.0), 1.0)
            self._lambda *= (self.eta * high)[:, None]

    @classmethod
    def of(cls, linear: Vector, eta: Vector, w: Dense) -> Weights:
        """Weights alone, without the slack and the multiplier they came from."""
        weights = cls.__new__(cls)
        weights.shape, weights._m = (w.shape[0], w.shape[1]), len(linear)
        weights.linear, weights.eta, weights.w = linear, eta, w
        return weights

    @property
    def degree(self) -> int:
        """How many numbers and cones there are: s'y divided by it is the mean product."""
        return self._m + self.shape[0]

    def round(self, v: Vector) -> Dense:
        """The second-order part of a vector, one row a cone."""
        return v[self._m :].reshape(self.shape)

    def inverse(self, v: Vector) -> Vector:
        """W^-2 v."""
        product = np.empty_like(v)
        product[: self._m] = self.linear * v[: self._m]
        if self.shape[0]:
            V, w = self.round(v), self.w
            along = 2 * (w[:, 0] * V[:, 0] - (w[:, 1:] * V[:, 1:]).sum(axis=1))
            Jw = np.concatenate([w[:, :1], -w[:, 1:]], axis=1)
            out = Jw * along[:, None]
            out[:, 0] -= V[:, 0]
            out[:, 1:] += V[:, 1:]
            product[self._m :] = (out / np.square(self.eta)[:, None]).ravel()
        return product

    def squared(self, v: Vector) -> Vector:
        """W^2 v."""
        product = np.empty_like(v)
        product[: self._m] = v[: self._m] / self.linear
        if self.shape[0]:
            V, w = self.round(v), self.w
            out = w * (2 * (w * V).sum(axis=1))[:, None]
            out[:, 0] -= V[:, 0]
            out[:, 1:] += V[:, 1:]
            product[self._m :] = (np.square(self.eta)[:, None] * out).ravel()
        return product

    def products(self) -> Vector:
        """Lambda o lambda."""
        products = self._s * self._dual
        if self.shape[0]:
            products[self._m :] = _product(self._lambda, self._lambda).ravel()
        return products

    def second(self, ds: Vector, dl: Vector) -> Vector:
        """(W^-1 ds) o (W dl)."""
        products = ds * dl
        if self.shape[0]:
            one = self._times(self.round(ds), -1.0) / self.eta[:, None]
            other = self._times(self.round(dl), 1.0) * self.eta[:, None]
            products[self._m :] = _product(one, other).ravel()
        return products

    def centre(self, size: float) -> Vector:
        """`size` times the unit of the product."""
        centre = np.full(len(self._s), size)
        if self.shape[0]:
            self.round(centre)[:, 1:] = 0.0
        return centre

    def share(self, products: Vector) -> Vector:
        """W times the v with lambda o v = products: how much s falls while y stays."""
        share = np.empty_like(products)
        share[: self._m] = products[: self._m] / self._dual[: self._m]
        if self.shape[0]:
            R, own = self.round(products), self._lambda
            v = np.empty_like(R)
            v[:, 0] = own[:, 0] * R[:, 0] - (own[:, 1:] * R[:, 1:]).sum(axis=1)
            v[:, 0] /= _depth(own)
            v[:, 1:] = (R[:, 1:] - v[:, :1] * own[:, 1:]) / own[:, :1]
            share[self._m :] = (self._times(v, 1.0) * self.eta[:, None]).ravel()
        return share

    def split(self, change: Vector) -> tuple[Vector, Vector]:
        """The nonnegative part of a vector, and the rest."""
        return change[: self._m], change[self._m :]

    def _times(self, V: Dense, sign: float) -> Dense:
        """W V / eta (sign 1), or W^-1 V eta (sign -1), a cone a row."""
        w = self.w
        inner = (w[:, 1:] * V[:, 1:]).sum(axis=1)
        out = np.empty_like(V)
        out[:, 0] = w[:, 0] * V[:, 0] + sign * inner
        along = sign * V[:, 0] + inner / (1 + w[:, 0])
        out[:, 1:] = V[:, 1:] + w[:, 1:] * along[:, None]
        return out


def reach(v: Vector, dv: Vector, cones: tuple[int, int]) -> float:
    """The largest t for which v + t dv is in the cone."""
    m = len(v) - cones[0] * cones[1]
    length = float(1.0 / np.maximum(-dv[:m] / v[:m], 1e-300).max(initial=1e-300))
    if not cones[0]:
        return length
    V, D = v[m:].reshape(cones), dv[m:].reshape(cones)
    # The first root of c + 2 b t + a t^2.
    a, c = _depth(D), _depth(V)
    b = V[:, 0] * D[:, 0] - (V[:, 1:] * D[:, 1:]).sum(axis=1)
    root = np.sqrt(np.maximum(b * b - a * c, 0.0)) - b
    crosses = (b * b >= a * c) & (root > 0)
    ends = c[crosses] / root[crosses]
    return min(length, float(ends.min(initial=np.inf)))


def inward(v: Vector, depth: float, cones: tuple[int, int]) -> Vector:
    """A point near v at least `depth` inside the cone: |v| for numbers, |v_0| for cones."""
    m = len(v) - cones[0] * cones[1]
    inside = np.array(v)
    inside[:m] = np.maximum(np.abs(v[:m]), depth)
    V = inside[m:].reshape(cones)
    V[:, 0] = np.maximum(np.abs(V[:, 0]), np.linalg.norm(V[:, 1:], axis=1) + depth)
    return inside


def _depth(V: Dense) -> Vector:
    """V'J V of each row."""
    size = np.linalg.norm(V[:, 1:], axis=1)
    return (V[:, 0] - size) * (V[:, 0] + size)


def _product(U: Dense, V: Dense) -> Dense:
    out = U[:, :1] * V + V[:, :1] * U
    out[:, 0] = (U * V).sum(axis=1)
    return out
