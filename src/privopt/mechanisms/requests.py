"""Requests of plans and baselines: what a ledger is asked to charge, made of public data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request, digest
from privopt.mechanisms.answer import Answer
from privopt.mechanisms.earlier import output_of_first_version
from privopt.model.program import ConvexProgram
from privopt.model.program_file import matrix, program_to_dict, public_data

__all__ = ["earlier_output", "request_of"]


def request_of(made: Answer, mechanism: str, more: Mapping[str, object] | None = None) -> Request:
    """The request of a release: public parameters, and digests of the public data alone.

    `more` is public data, and choices, beside the program that decide what is released.
    """
    program = made.program
    more = {"names": list(made.question.names), **(more or {})}
    return Request.of(
        made.privacy,
        made.calibration,
        mechanism=mechanism,
        provenance=made.guarantee.privacy.provenance.value,
        private=program.private_names,
        subject=_subject(program, made.guarantee.to_dict(), more),
        query=digest(matrix(made.question.S)),
    )


def earlier_output(made: Answer) -> Callable[[Ledger, int, Request], bytes | None]:
    """How to find what version 0.1.0 stored for a request of this mechanism."""
    names, subject = made.question.names, partial(_subject, made.program)

    def find(ledger: Ledger, row: int, asked: Request) -> bytes | None:
        return output_of_first_version(ledger, row, asked, made.guarantee, names, subject)

    return find


def _subject(
    program: ConvexProgram, claims: object, more: Mapping[str, object] | None = None
) -> str:
    described = program_to_dict(program)
    described.pop("constant", None)  # it decides nothing that is released
    public = {"program": described, "data": public_data(program)}
    return digest({**public, "guarantee": claims, **(more or {})})
