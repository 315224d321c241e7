"""The page of an audit: two piles of releases, and the epsilon that they show beside the claim."""

from __future__ import annotations

from dataclasses import replace

from privopt.assess.audit import Audit
from privopt.assess.claim_picture import claim_picture
from privopt.report.sheet import Stamp, sheet
from privopt.show.view import Fact, Table, View

__all__ = ["audit_page"]

_MEANING = (
    "Two data sets that differ in what privacy hides were released many times. Whoever can tell "
    "from a release which of the two it came from learns what is hidden; epsilon limits how well "
    "that can succeed."
)


def audit_page(
    found: Audit, of: str, computed: float | None = None, *, private: bool = False
) -> str:
    """The page as text.

    Parameters
    ----------
    of
        What was audited.
    computed
        The epsilon between the two data by what is released without noise, where it is known.
    private
        Whether the two data are someone's: the page then says that it is private.
    """
    sure = f"{100 * found.confidence:.10g}%"
    percent = [f"{100 * one.value:.3g}%" for one in (found.at_d, found.at_d_prime)]
    piles = replace(
        found.plot(),
        title="What was released of two neighbours",
        caption=f"If both piles lay upon each other, nobody could tell the two data apart. The "
        f"green event ({found.event}) was seen in {percent[0]} of the releases of d and in "
        f"{percent[1]} of those of d'.",
    )
    shown = {"releases show": found.epsilon}
    if computed is not None:
        shown["computed"] = computed
    claims = claim_picture(
        shown,
        found.claimed,
        "Privacy loss: shown and claimed",
        f"Blue: what these releases show, with confidence {sure}; the true epsilon is no smaller. "
        "A bar beyond the dashed line is red and refutes the claim."
        + ("" if computed is None else " Computed: from the values without noise."),
    )
    view = _view(found, of, computed, private=private)
    return sheet(view, (piles, claims), _stamp(found), (_MEANING, found.verdict))


def _view(found: Audit, of: str, computed: float | None, *, private: bool) -> View:
    both = (found.at_d, found.at_d_prime)
    seen = Table(
        "after",
        ("d", "d'"),
        {
            "seen": [f"{100 * one.value:.2f}%" for one in both],
            "at least": [f"{100 * one.interval[0]:.2f}%" for one in both],
            "at most": [f"{100 * one.interval[1]:.2f}%" for one in both],
            "releases": [one.samples for one in both],
        },
        "how often the event was seen",
    )
    view = replace(
        found.view(),
        title="Can releases be told apart?",
        lead=f"{of[:1].upper()}{of[1:]}.",
        table=seen,
        warnings=(),
        private=private,
    )
    if computed is None:
        return view
    told = f"epsilon {computed:.4g}, by what is released without noise"
    return replace(view, facts=(*view.facts, Fact("computed", told)))


def _stamp(found: Audit) -> Stamp | None:
    if found.claimed is None:
        return None
    if found.refuted:
        return Stamp("bad", "REFUTED", "The claim is false for these two data.")
    return Stamp("good", "NOT REFUTED", "An audit can refute a claim; it proves none.")
