"""Releasing through a ledger: the charge is on the disk before the release is made.

    without a ledger    make the release; its record says that nothing counted it
    with a ledger       charge, make, store, return: see `ledger.ledger` for the order

What is stored, and replayed under the same key, is the release as it would be saved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from privopt.claims.guarantee import Guarantee
from privopt.errors import InputError, KeyUsedError
from privopt.kernel import wire
from privopt.kernel.release import Release
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request, digest
from privopt.mechanisms.earlier import output_of_first_version
from privopt.model.program import ConvexProgram
from privopt.model.program_file import matrix, program_to_dict, public_data
from privopt.model.query import Query
from privopt.noise.calibration import Calibration, Privacy

__all__ = ["private_names", "released", "request_of"]


def released(
    request: Callable[[], Request],
    make: Callable[[Entry | None], Release],
    ledger: Ledger | None,
    key: str | None,
    of: Mechanism | None = None,
) -> Release:
    """The release of a request; `make` is called once the charge is written, or never.

    `of` is the mechanism whose request it is, where version 0.1.0 may have released it.
    """
    if ledger is None:
        if key is not None:
            raise InputError(
                "a key was given without a ledger.",
                "a ledger, which remembers what was released under the key.",
                "pass ledger=privopt.Ledger(path, limit=privopt.Budget(epsilon)), or no key.",
            )
        return make(None)
    if not isinstance(ledger, Ledger):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"ledger is a {type(ledger).__name__}.",
            "a Ledger, or None.",
            "ledger=privopt.Ledger(path, limit=privopt.Budget(epsilon)).",
        )
    made: list[Release] = []

    def output(entry: Entry) -> bytes:
        made.append(make(entry))
        return wire.text(made[0]).encode()

    asked = request()
    try:
        stored = ledger.charge(asked, output, key)
    except KeyUsedError as error:
        if of is None or error.row is None:
            raise
        names, subject = tuple(of.query.names(of.program)), partial(_subject, of.program)
        earlier = output_of_first_version(ledger, error.row, asked, of.guarantee, names, subject)
        if earlier is None:
            raise
        stored = earlier
    try:
        found = wire.read(Release, stored, f"the output in {ledger.path}")
        # What was made just now is claimed here; what is replayed, by the ledger's file.
        guarantee = made[0].guarantee if made else found.guarantee
        return dataclasses.replace(found, guarantee=guarantee, replayed=not made)
    except BaseException as stop:
        ledger.tell(stop)
        raise


class Mechanism(Protocol):
    """What a plan and the baselines share: a program with its data, and noise."""

    @property
    def program(self) -> ConvexProgram:
        """The program."""
        ...

    @property
    def query(self) -> Query:
        """What is released."""
        ...

    @property
    def privacy(self) -> Privacy:
        """What was asked."""
        ...

    @property
    def calibration(self) -> Calibration:
        """What became of it."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What is claimed."""
        ...


def request_of(
    made: Mechanism, mechanism: str, more: Mapping[str, object] | None = None
) -> Request:
    """The request of a release: public parameters, and digests of the public data alone.

    `more` is public data, and choices, beside the program that decide what is released.
    """
    program = made.program
    more = {"names": list(made.query.names(program)), **(more or {})}
    return Request.of(
        made.privacy,
        made.calibration,
        mechanism=mechanism,
        provenance=made.guarantee.privacy.provenance.value,
        private=private_names(program),
        subject=_subject(program, made.guarantee.to_dict(), more),
        query=digest(matrix(made.query.matrix(program))),
    )


def _subject(
    program: ConvexProgram, claims: object, more: Mapping[str, object] | None = None
) -> str:
    described = program_to_dict(program)
    described.pop("constant", None)  # it decides nothing that is released
    public = {"program": described, "data": public_data(program)}
    return digest({**public, "guarantee": claims, **(more or {})})


def private_names(program: ConvexProgram) -> list[str]:
    """Names of the private entries of d."""
    return [program.data_names[i] for i in program.private]
