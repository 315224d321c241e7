"""A case file as a network: its name, its size, and DC lines refused unless they are off."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.networks.casefile import read
from privopt.networks.locate import find

DCLINE = "mpc.dcline = [\n\t1 2 {status} 10 9 0 0 1 1 1 20 0 0 0 0 0 0;\n];\n"


def test_a_network_has_the_name_and_the_rows_of_its_file() -> None:
    path = find("5_pjm")
    made = read(path)
    text = path.read_text(encoding="utf-8")
    loads = [
        float(line.split()[2])
        for line in text.partition("mpc.bus = [")[2].partition("];")[0].strip().splitlines()
    ]
    assert made.name == "5_pjm"
    assert 100 * made.buses.demand == pytest.approx(loads)


@pytest.mark.parametrize("status", [0, 1])
def test_a_dc_line_in_service_is_refused(tmp_path: Path, status: int) -> None:
    path = tmp_path / "mine.m"
    path.write_text(find("5_pjm").read_text(encoding="utf-8") + DCLINE.format(status=status))
    if status:
        with pytest.raises(InputError, match="mine.m has 1 DC lines in service"):
            read(path)
    else:
        assert read(path).name == "mine"


def test_what_is_no_case_file_is_refused(tmp_path: Path) -> None:
    for name, content in (("empty.m", ""), ("other.m", "function x = y\n"), ("none.m", None)):
        path = tmp_path / name
        if content is not None:
            path.write_text(content)
        with pytest.raises(InputError, match=name):
            read(path)
