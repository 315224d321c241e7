"""Screen 1: where a program comes from, how it is shown, and what is protected."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.visiting import CHROMIUM, Visit, number_in, saved, state

import privopt as po
from privopt.networks.locate import find
from privopt.web.serving import Bench, opened

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


@pytest.fixture(scope="module")
def bench() -> Generator[Bench]:
    """A workbench without a job."""
    with opened() as ready, ready.serving():
        yield ready


def choose(page: Page, network: str = "3_lmbd") -> None:
    page.get_by_label("A test network").check()
    page.locator("#field-network").select_option(network)
    saved(page, network=network)
    page.locator("#picture .node").first.wait_for()


def test_a_beginner_is_shown_where_to_begin(page: Page) -> None:
    expect(page.locator("#h-picture")).to_have_text("Begin here")
    expect(page.locator(".problem")).to_have_count(0)
    expect(page.locator("#rest")).to_be_hidden()


def test_an_example_fills_the_form(page: Page) -> None:
    page.get_by_label("An example").check()
    page.locator("button.example:visible", has_text="largest generator").first.click()
    saved(page, network="14_ieee", identity="p[1]", measure="total")
    expect(page.locator("#job-title")).to_have_text("14_ieee")
    expect(page.locator("#picture .node")).to_have_count(14)


def test_a_network_publishes_its_widest_unit_first(page: Page) -> None:
    choose(page)
    saved(page, identity="p[1]", around="0.1", unit="MW", alpha="1")
    expect(page.locator("#job-title")).to_have_text("3_lmbd")
    expect(page.locator("#field-network")).to_have_value("3_lmbd")


def test_map_and_table_show_the_same_loads(page: Page) -> None:
    choose(page)
    page.get_by_role("radio", name="Table").check()
    expect(page.locator("#picture")).to_be_hidden()
    row = page.locator("#table tbody tr", has_text="bus 3")
    expect(row.locator("td").nth(0)).to_have_text("95")
    page.get_by_role("radio", name="Map").check()
    page.locator('#picture [data-bus="3"]').hover()
    expect(page.locator(".hovering")).to_contain_text("public load 95")


def test_the_domain_follows_its_width_and_its_bounds(page: Page) -> None:
    choose(page)
    page.get_by_role("radio", name="Table").check()
    largest = page.locator("#table tbody tr", has_text="bus 3").locator("td").nth(2)
    page.locator("#field-around").fill("20")
    page.keyboard.press("Enter")
    saved(page, around="0.2")
    expect(largest).to_have_text("114")
    page.get_by_label("Bounds").check()
    page.locator("#field-upper").fill("200")
    page.keyboard.press("Enter")
    saved(page, around=None, upper="200")
    expect(largest).to_have_text("200")
    page.get_by_label("Around the loads").check()
    saved(page, around="0.2", upper=None, lower=None)
    page.locator("#field-around").fill("10")
    page.keyboard.press("Enter")
    saved(page, around="0.1")


def test_alpha_is_said_beside_the_loads(page: Page) -> None:
    choose(page)
    page.locator("#field-alpha").fill("9.5")
    page.keyboard.press("Enter")
    saved(page, alpha="9.5")
    expect(page.locator("#means")).to_contain_text("A change of 9.5\u00a0MW")
    expect(page.locator("#means")).to_contain_text("10\u00a0% of the smallest public load")


def test_a_fault_is_said_at_its_field_and_goes_with_it(page: Page) -> None:
    choose(page)
    alpha = page.locator("#field-alpha")
    alpha.fill("-3")
    page.keyboard.press("Enter")
    expect(alpha).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#private .problem")).to_contain_text("What to do")
    alpha.fill("1")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_have_count(0)


def test_owners_by_bus_and_by_labels(page: Page) -> None:
    choose(page)
    page.get_by_label("Each bus").check()
    saved(page, owners="bus")
    page.get_by_label("By labels").check()
    page.locator("#field-owners").fill("ann,ann,bob")
    page.keyboard.press("Enter")
    saved(page, owners="ann,ann,bob")
    expect(page.locator("#means")).to_contain_text("of 2 owners")
    page.get_by_label("Each load").check()
    saved(page, owners=None)


def test_another_unit_scales_the_loads(page: Page) -> None:
    choose(page)
    expect(page.locator("#legend")).to_contain_text("110\u00a0MW")
    page.locator("#field-unit").fill("p.u.")
    page.keyboard.press("Enter")
    expect(page.locator("#legend")).to_contain_text("1.1\u00a0p.u.")
    page.locator("#field-unit").fill("MW")
    page.keyboard.press("Enter")
    saved(page, unit="MW")


def test_a_case_file_shows_its_network_without_its_loads(
    visit: tuple[Visit, Page], tmp_path: Path
) -> None:
    found, page = visit
    text = find("3_lmbd").read_text()
    mine = tmp_path / "mine.m"
    mine.write_text(text.replace("95.0", "97.1357"))
    assert "97.1357" in mine.read_text()
    page.get_by_label("A case file").check()
    page.locator("#field-case").fill(str(mine))
    page.keyboard.press("Enter")
    saved(page, case=str(mine), network=None)
    expect(page.locator("#picture .node")).to_have_count(3)
    expect(page.locator("#job-title")).to_have_text("mine.m")
    page.locator("#field-lower").fill("50")
    page.locator("#field-upper").fill("150")
    page.keyboard.press("Enter")
    saved(page, lower="50", upper="150")
    expect(page.locator("#means")).to_contain_text("between 150\u00a0MW and 450\u00a0MW")
    assert not any("97.13" in one.text() for one in found.answers if one.status == 200)


def test_a_saved_program_is_shown_as_a_table(page: Page, tmp_path: Path) -> None:
    network = po.networks.load("3_lmbd")
    program = tmp_path / "three.json"
    po.PublicProgram(network.program(unit="MW"), {}).save(program)
    page.get_by_label("A saved program").check()
    page.locator("#field-program").fill(str(program))
    page.keyboard.press("Enter")
    saved(page, program=str(program))
    expect(page.locator("#table tbody tr")).to_have_count(3)
    expect(page.locator("#view")).to_be_hidden()


def test_a_file_that_is_not_there_is_named(page: Page) -> None:
    page.get_by_label("A case file").check()
    page.locator("#field-case").fill("/nowhere/grid.m")
    page.keyboard.press("Enter")
    expect(page.locator("#source .problem")).to_contain_text("/nowhere/grid.m")


def test_the_back_button_returns_to_the_model(page: Page) -> None:
    choose(page)
    page.locator("#on a").click()
    expect(page.locator("h1")).to_have_text("Design")
    assert page.url.endswith("/design")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Model")
    expect(page.locator("#field-network")).to_have_value("3_lmbd")
    assert number_in(str(state(page)["form"]["alpha"])) == 1


def test_an_empty_bound_gives_no_total(page: Page) -> None:
    choose(page)
    expect(page.locator("#means")).to_contain_text("the total lies between")
    page.get_by_label("Bounds").check()
    page.locator("#field-lower").fill("")
    page.keyboard.press("Enter")
    saved(page, lower=None)
    expect(page.locator("#means")).not_to_contain_text("the total lies between")
    page.get_by_label("Around the loads").check()
    saved(page, around="0.1")


def test_the_width_is_kept_while_bounds_are_tried(page: Page) -> None:
    choose(page)
    page.locator("#field-around").fill("15")
    page.keyboard.press("Enter")
    saved(page, around="0.15")
    page.get_by_label("Bounds").check()
    saved(page, around=None)
    page.get_by_label("Around the loads").check()
    saved(page, around="0.15", upper=None, lower=None)
    page.locator("#field-around").fill("10")
    page.keyboard.press("Enter")
    saved(page, around="0.1")


def test_fields_that_take_a_path_have_room_for_one(page: Page) -> None:
    choose(page)
    page.get_by_label("Bounds").check()
    for name in ("alpha", "lower", "upper"):
        box = page.locator(f"#field-{name}").bounding_box()
        assert box is not None
        assert box["width"] > 180, name
    page.get_by_label("Around the loads").check()
    saved(page, around="0.1")


def test_an_alpha_beyond_the_domain_is_warned_of(page: Page) -> None:
    choose(page)
    expect(page.locator("#means")).to_contain_text("A change of")
    expect(page.locator("#wide-alpha")).to_have_count(0)
    page.locator("#field-alpha").fill("1e9")
    page.keyboard.press("Enter")
    saved(page, alpha="1e9")
    expect(page.locator("#wide-alpha")).to_contain_text("every private entry")
    expect(page.locator("#wide-alpha")).to_contain_text("22\u00a0MW at most")
    page.locator("#field-alpha").fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#wide-alpha")).to_have_count(0)


def test_the_marks_of_the_table_have_a_legend(page: Page) -> None:
    choose(page)
    expect(page.locator("#legend")).to_contain_text("bus without a load")
    page.get_by_role("radio", name="Table").check()
    expect(page.locator("#legend")).to_be_visible()
    expect(page.locator("#legend")).to_contain_text("hidden change α")
    expect(page.locator("#legend")).not_to_contain_text("bus without a load")


def test_networks_that_are_missing_are_said_with_what_installs_them(page: Page) -> None:
    command = "pip install '/src/privopt[power]'"
    page.route(
        "**/api/networks",
        lambda route: route.fulfill(json={"networks": [], "examples": [], "missing": command}),
    )
    page.reload()
    page.get_by_label("A test network").check()
    expect(page.locator("#no-networks code")).to_have_text(command)
