"""Screen 2: every choice changes the form and what is shown; what moves is moved in the page."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.visiting import CHROMIUM, Visit, begun, computed, number_in, saved
from tests.web.workbench import FORM

from privopt.web.serving import Bench

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


@pytest.fixture(autouse=True)
def same_form(bench: Bench) -> None:
    """Every test begins with the job's own form, whose design is computed once."""
    bench.session.put(bench.session.revision, FORM)


def test_the_picture_the_verdict_and_the_front_come_with_the_design(page: Page) -> None:
    computed(page)
    expect(page.locator("#published")).to_have_text("p[1]")
    expect(page.locator("#picture .node.released")).to_have_attribute("data-bus", "1")
    expect(page.locator("#picture .labels .value")).to_contain_text("MW")
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", "nothing")
    expect(page.locator("#figure-loss b")).to_contain_text("%")
    expect(page.locator("#figure-failures")).to_contain_text("5\u00a0% allowed")
    expect(page.locator("#figure-charge b")).to_have_text("ε 1")
    expect(page.locator("#front .here")).to_have_count(1)
    expect(page.locator("#front .zone")).to_have_count(1)
    expect(page.locator("#claims .badge")).to_have_text(["PROVEN", "PROVEN"])


def test_a_click_on_the_map_publishes_and_a_row_of_the_table_does(page: Page) -> None:
    begun(page)
    page.locator('#picture [data-bus="2"]').click()
    saved(page, identity="p[1],p[2]")
    expect(page.locator("#choose .beyond")).to_contain_text("Nobody is left")
    page.get_by_role("radio", name="Table").check()
    page.get_by_label("publish p[1]").uncheck()
    saved(page, identity="p[2]")
    expect(page.locator("#published")).to_have_text("p[2]")
    page.get_by_label("publish p[2]").uncheck()
    saved(page, identity=None)
    expect(page.locator(".progress .stage")).to_contain_text("Nothing is published yet")


def test_epsilon_says_its_odds_and_is_charged(page: Page) -> None:
    begun(page)
    expect(page.locator("#field-epsilon-hint")).to_contain_text("factor 2.7")
    page.locator("#field-epsilon").fill("2")
    page.keyboard.press("Enter")
    saved(page, epsilon="2")
    expect(page.locator("#field-epsilon-hint")).to_contain_text("factor 7.4")
    expect(page.locator("#figure-charge b")).to_have_text("ε 2")


def test_sliders_move_their_numbers(page: Page) -> None:
    begun(page)
    for name, times in (("epsilon", 1.0), ("eta", 100.0)):
        slider = page.locator(f"#field-{name}").locator("xpath=ancestor::div[@class='field']")
        slider.locator('input[type="range"]').press("ArrowRight")
        slider.locator('input[type="range"]').press("PageUp")
        value = float(bench_form(page)[name])
        assert number_in(page.locator(f"#field-{name}").input_value()) == pytest.approx(
            times * value
        )
        assert value > float(FORM[name])


def bench_form(page: Page) -> dict[str, str]:
    """The server's form once a change of this page is there."""
    with page.expect_response(lambda answer: answer.url.endswith("/api/form")) as told:
        pass
    sent = told.value.request.post_data_json
    assert sent is not None
    return sent["form"]


def test_every_mechanism_shows_its_own(page: Page) -> None:
    begun(page)
    expect(page.locator("#candidates-card")).to_be_visible()
    page.get_by_label("The paper's plan").check()
    saved(page, mechanism="plan", measure=None)
    begun(page)
    expect(page.locator("#candidates-card")).to_be_hidden()
    expect(page.locator("#whatif-noise")).to_be_enabled()
    expect(page.locator("#claims .badge").first).to_have_text("ASSUMED")
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", "unknown")
    page.get_by_label("Measure first").check()
    saved(page, mechanism="measured", measure="total")
    expect(page.locator("#verdict")).to_have_attribute("data-verdict", "nothing")


def test_usefulness_is_a_weight_or_a_distance(page: Page) -> None:
    computed(page)
    page.get_by_label("Weigh nearness").check()
    saved(page, fidelity="0.01", within=None)
    expect(page.locator("#field-fidelity")).to_be_visible()
    page.get_by_label("Stay within").check()
    expect(page.locator("#field-within")).to_be_visible()
    expect(page.locator("#field-within")).not_to_have_value("")
    page.get_by_label("Cheapest").check()
    saved(page, fidelity=None, within=None)


def test_more_choices_keep_the_form_consistent(page: Page) -> None:
    begun(page)
    page.get_by_text("More choices").click()
    page.locator("#field-noise").select_option("gaussian")
    saved(page, noise="gaussian", delta="1e-6")
    page.locator("#field-feasibility").select_option("always")
    saved(page, noise="truncated", feasibility="always", eta=None)
    expect(page.locator("#field-eta")).to_be_hidden()
    page.locator("#field-noise").select_option("laplace")
    saved(page, noise="laplace", delta=None, feasibility="exact-box", eta="0.05")


def test_noise_and_demand_move_in_the_page_alone(visit: tuple[Visit, Page]) -> None:
    """A plan moves with its noise; of a decision the demand moves all but what is published."""
    found, page = visit
    computed(page)
    shown, moved = (
        page.locator("#picture .labels .value"),
        page.locator("output[for=whatif-demand]"),
    )
    published, middle = shown.text_content() or "", moved.text_content() or ""
    page.locator("#whatif-demand").press("End")
    expect(moved).not_to_have_text(middle)  # it is drawn with the next frame
    expect(shown).to_have_text(published)
    page.get_by_label("The paper's plan").check()
    saved(page, mechanism="plan")
    computed(page)
    before = shown.text_content() or ""
    asked = [one for one in found.requests if "/api/design" in one or "/api/form" in one]
    page.locator("#whatif-noise").press("Home")
    expect(shown).not_to_have_text(before)
    page.get_by_text("Back to the middle").click()
    expect(page.locator("#whatif-noise")).to_have_value("50")
    expect(shown).to_have_text(before)
    assert [one for one in found.requests if "/api/design" in one or "/api/form" in one] == asked


def test_candidates_are_compared_on_request_and_one_is_used(page: Page) -> None:
    computed(page)
    page.locator("#compare").click()
    rows = page.locator("#candidates tbody tr")
    expect(rows.filter(has_text="BEST")).to_have_count(1)
    expect(page.locator("#verdict")).to_be_visible()
    page.get_by_label("Measure nothing", exact=True).click()
    saved(page, measure="nothing")
    expect(page.locator("#measured-now")).to_have_text("nothing")


def test_a_design_is_stopped_and_computed_after_all(page: Page) -> None:
    begun(page)
    page.locator("#field-epsilon").fill("1.25")
    page.keyboard.press("Enter")
    page.locator("#stop").click()
    expect(page.locator(".progress .stage")).to_have_text("Stopped.")
    page.locator("#again").click()
    begun(page)


def test_a_killed_worker_is_said_and_another_one_does_it(page: Page, bench: Bench) -> None:
    computed(page)
    before = bench.session.designs.worker  # it has ended, or is about to
    page.locator("#field-epsilon").fill("1.37")
    page.keyboard.press("Enter")
    while (worker := bench.session.designs.worker) in (None, before):
        page.wait_for_timeout(5)
    assert worker is not None
    os.kill(worker, signal.SIGKILL)
    expect(page.locator("#failure .problem")).to_contain_text("ended before it was done")
    page.locator("#again").click()
    begun(page)
    expect(page.locator("#failure .problem")).to_have_count(0)


def test_the_form_is_copied_as_a_job_and_as_python(visit: tuple[Visit, Page]) -> None:
    found, page = visit
    found.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#copy-job").click()
    expect(page.locator("#copied")).to_contain_text("clipboard")
    assert 'network = "3_lmbd"' in page.evaluate("navigator.clipboard.readText()")
    page.locator("#copy-python").click()
    expect(page.locator("#copied")).to_contain_text("Python")
    assert "import privopt as po" in page.evaluate("navigator.clipboard.readText()")
