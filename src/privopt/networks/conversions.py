"""Unit conversions at the end of a case file, computed as MATLAB would.

    mpc.branch(:, [BR_R BR_X]) = mpc.branch(:, [BR_R BR_X]) / (Vbase^2 / Sbase);
    mpc.bus(:, QD) = mpc.bus(:, PD) * sin(acos(pf));

MATPOWER's feeders give ohms and kW in their tables, and turn them into per unit and MW below. Taken
are: whole columns that become columns of the same table, multiplied or divided by numbers; numbers
with names; and MATPOWER's own names of columns (`idx_bus`, `idx_brch`, `idx_gen`). Beside these no
other statement may stand there: a condition could undo what was computed.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from privopt.arrays import Dense
from privopt.errors import PrivoptError

__all__ = ["NotConvertibleError", "convert", "split"]

_LISTS = {  # what each function returns, in that order
    "idx_bus": "PQ=1 PV=2 REF=3 NONE=4 BUS_I=1 BUS_TYPE=2 PD=3 QD=4 GS=5 BS=6 BUS_AREA=7 VM=8 VA=9 "
    "BASE_KV=10 ZONE=11 VMAX=12 VMIN=13 LAM_P=14 LAM_Q=15 MU_VMAX=16 MU_VMIN=17",
    "idx_brch": "F_BUS=1 T_BUS=2 BR_R=3 BR_X=4 BR_B=5 RATE_A=6 RATE_B=7 RATE_C=8 TAP=9 SHIFT=10 "
    "BR_STATUS=11 PF=14 QF=15 PT=16 QT=17 MU_SF=18 MU_ST=19 ANGMIN=12 ANGMAX=13 MU_ANGMIN=20 "
    "MU_ANGMAX=21",
    "idx_gen": "GEN_BUS=1 PG=2 QG=3 QMAX=4 QMIN=5 VG=6 MBASE=7 GEN_STATUS=8 PMAX=9 PMIN=10",
}
_INDICES = re.compile(r"\[([\w\s]+)\]\s*=\s*(idx_\w+)\s*;?")
_NUMBER = re.compile(r"(?!mpc\b)(\w+)\s*=(?!=)\s*(.+?);?")
_COLUMNS = re.compile(
    r"mpc\.(\w+)\(\s*:\s*([^()]+)\)\s*=\s*mpc\.(\w+)\(\s*:\s*([^()]+)\)(\s*[*/].+?);?"
)
_PLAIN = re.compile(r"mpc\.[\w.]+\s*=(?!=)[^()]*")
_ENTRY = re.compile(r"mpc\.(\w+)\(\s*(\d+)\s+(\w+)\s*\)")
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "acos": math.acos,
    "asin": math.asin,
    "atan": math.atan,
    "sqrt": math.sqrt,
}
_SUBJECT = "mpc_columns"  # stands for the columns in what is computed from them


class NotConvertibleError(PrivoptError):
    """A statement that is none of those above."""

    def __init__(self, statement: str) -> None:
        super().__init__(
            f"the case file has the statement {statement!r:.60}.",
            "tables, and conversions of their columns to other units.",
            "write the converted numbers into the tables.",
        )


def split(text: str) -> tuple[str, tuple[str, ...]]:
    """The tables, and the conversions below the last of them; none where there are none.

    `text` has one statement a line, and blanks for commas.
    """
    lines = text.splitlines()
    ends = [k for k, line in enumerate(lines) if re.search(r"[\]}]\s*;?$", line)]
    start = ends[-1] + 1 if ends else 0
    below = lines[start:]
    if not any(_COLUMNS.fullmatch(line) for line in below):
        return text, ()
    plain = [line for line in below if _PLAIN.fullmatch(line)]
    return "\n".join([*lines[:start], *plain]) + "\n", tuple(
        line for line in below if not _PLAIN.fullmatch(line)
    )


def convert(
    tables: Mapping[str, Dense], base_mva: float, statements: tuple[str, ...]
) -> dict[str, Dense]:
    """The tables after the conversions, one after the other."""
    made = {name: table.copy() for name, table in tables.items()}
    names: dict[str, float] = {}
    for line in statements:
        columns, indices = _COLUMNS.fullmatch(line), _INDICES.fullmatch(line)
        if columns:
            target, to, source, of, rest = columns.groups()
            left, right = _places(made, target, to, names), _places(made, source, of, names)
            if len(left) != len(right) or target != source:
                raise NotConvertibleError(line)
            scaled = _scaled(made[source][:, right], rest, made, base_mva, names)
            made[target][:, left] = scaled
        elif indices:
            names |= _indices(line, *indices.groups())
        elif number := _NUMBER.fullmatch(line):
            names.pop(number[1], None)
            try:
                names[number[1]] = float(_value(number[2], made, base_mva, names))
            except (NotConvertibleError, TypeError):
                continue  # only a conversion that uses it needs it
        else:
            raise NotConvertibleError(line)
    return made


def _indices(line: str, given: str, function: str) -> dict[str, float]:
    """Names of columns, where they are those of MATPOWER in MATPOWER's order."""
    known = [pair.split("=") for pair in _LISTS.get(function, "").split()]
    names = given.split()
    if not known or names != [name for name, _ in known[: len(names)]]:
        raise NotConvertibleError(line)
    return {name: float(value) for name, value in known[: len(names)]}


def _places(
    tables: Mapping[str, Dense], table: str, text: str, names: Mapping[str, float]
) -> list[int]:
    """Positions of columns, from names or numbers that count from 1."""
    places: list[int] = []
    for word in text.strip().removeprefix("[").removesuffix("]").split():
        place = names.get(word, float(word) if word.isdigit() else math.nan)
        width = tables[table].shape[1] if table in tables else 0
        if not (1 <= place <= width and place == math.floor(place)):  # nan fails the first
            raise NotConvertibleError(text)
        places.append(int(place) - 1)
    return places


def _scaled(
    columns: Dense,
    rest: str,
    tables: Mapping[str, Dense],
    base_mva: float,
    names: Mapping[str, float],
) -> Any:  # noqa: ANN401 -- an array
    """`columns rest`, where rest multiplies or divides and does nothing else."""
    tree = _parsed(_SUBJECT + rest, tables, base_mva, names)
    first = tree
    while isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult | ast.Div):
        first = first.left
    if not isinstance(first, ast.Name) or first.id != _SUBJECT:
        raise NotConvertibleError(rest)
    return _computed(tree, {**names, _SUBJECT: columns})


def _value(
    text: str, tables: Mapping[str, Dense], base_mva: float, names: Mapping[str, float]
) -> Any:  # noqa: ANN401 -- a number
    return _computed(_parsed(text, tables, base_mva, names), names)


def _parsed(
    text: str, tables: Mapping[str, Dense], base_mva: float, names: Mapping[str, float]
) -> ast.expr:
    """The expression, with entries of tables as numbers."""

    def entry(found: re.Match[str]) -> str:
        row, place = int(found[2]) - 1, _places(tables, found[1], found[3], names)
        if not 0 <= row < len(tables[found[1]]):
            raise NotConvertibleError(text)
        return f"({float(tables[found[1]][row, place[0]])!r})"

    text = _ENTRY.sub(entry, text)
    text = re.sub(r"\bmpc\.baseMVA\b", f"({base_mva!r})", text).replace("^", "**")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise NotConvertibleError(text) from None


def _computed(node: ast.expr, names: Mapping[str, Any]) -> Any:  # noqa: ANN401 -- number or array
    """The value of an expression of numbers, names, + - * / ^ and a few functions."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_computed(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        powers = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.BinOp)
        if not powers:  # 2^3^2 is (2^3)^2 there and 2^(3^2) here
            sides = _computed(node.left, names), _computed(node.right, names)
            with np.errstate(all="ignore"):
                return _OPERATORS[type(node.op)](*sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            try:
                return function(float(_computed(node.args[0], names)))
            except ValueError:
                raise NotConvertibleError(node.func.id) from None
    raise NotConvertibleError(ast.dump(node))
