"""What all results have: `summary()`, `to_pandas()`, `plot()`, and a page in a notebook.

A private result (`PrivateResult`) shows its values to whoever asks for one of the first three. By
itself, at a prompt or in a notebook, it shows none: a notebook keeps what it displays, and is sent
around.
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from typing import Any

from privopt.show.pictures.picture import Picture
from privopt.show.view import View

__all__ = ["PrivateResult", "Result", "unseen"]


class Result(ABC):
    """A result that may be looked at."""

    @abstractmethod
    def view(self) -> View:
        """What is shown, in one description."""

    @abstractmethod
    def plot(self) -> Picture:
        """The result as a picture."""

    def summary(self) -> str:
        """The result in words."""
        return self.view().text()

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """The result as a data frame (the extra `pandas`)."""
        return self.view().table.to_pandas()

    def _repr_html_(self) -> str:
        return self.view().html()


class PrivateResult(Result):
    """A result that depends on d. `summary()`, `to_pandas()` and `plot()` are for the curator."""

    def _repr_html_(self) -> str:
        return unseen(self)


def unseen(result: object) -> str:
    """The page of a private result: what its repr shows, and how the curator sees more."""
    more = "Private: .summary(), .to_pandas() and .plot() show values to the curator."
    return f"<pre>{html.escape(repr(result))}</pre><p><small>{more}</small></p>"
