/** What to measure: total, every entry, or the candidates of the instrument, compared on request. */
import { fill, h } from "/static/dom.js";
import { percent, plain } from "/static/numbers.js";

const USUAL = [["total", "the total"], ["each", "every entry"]];

/**
 * @param {HTMLElement} place
 * @param {{result: any, unit: string, session: any, run: import("/static/run.js").Run}} what
 */
export function drawCandidates(place, { result, unit, session, run }) {
  const candidates = result?.candidates ?? null;
  const measure = session.form.measure ?? "total";
  const key = JSON.stringify([candidates, measure, run.running, unit]);
  if (place.key === key) return;
  place.key = key;
  const compare = h("button", { type: "button", id: "compare", onclick: () => run.start({ choose: true }) }, candidates ? "Compare again" : "Compare what else could be measured");
  const focus = place.contains(document.activeElement) ? document.activeElement.id : "";
  compare.disabled = run.running;
  fill(place,
    h("p", { class: "hint" }, "Noise is put on these sums of the private data; what is published is then decided from them."),
    h("p", { class: "row" }, "Now measured: ", h("b", { id: "measured-now" }, USUAL.find(([value]) => value === measure)?.[1] ?? measure),
      ...USUAL.filter(([value]) => value !== measure).map(([value, text]) => h("button", { type: "button", class: "small", id: `measure-${value}`, onclick: () => session.change({ measure: value }) }, `Measure ${text}`))),
    candidates && table(candidates, unit, session, measure),
    h("p", { class: "row" }, compare));
  if (focus) document.getElementById(focus)?.focus();
}

function table(candidates, unit, session, measure) {
  const chosen = candidates.find((one) => one.chosen)?.distance ?? Infinity;
  const best = Math.min(...candidates.map(({ distance }) => distance).filter(Number.isFinite));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Candidates" }, h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "sums"), h("th", { scope: "col", class: "number" }, `distance${unit ? `, ${unit}` : ""}`), h("th", { scope: "col", class: "number" }, "extra cost"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "use")))),
    h("tbody", {}, ...candidates.map((one, k) => h("tr", { "aria-selected": one.chosen ? "true" : null },
      h("th", { scope: "row" }, `${one.name} `, one.chosen && h("span", { class: "badge proven" }, "BEST"), !one.chosen && one.distance === best && best < chosen && h("span", { class: "badge" }, "NEAREST")),
      ...(Number.isFinite(one.distance) ? [h("td", { class: "number" }, plain(one.distance)), h("td", { class: "number" }, percent(one.loss))]
        : [h("td", { class: "number hint", colspan: 2 }, "no decision keeps the limits")]),
      h("td", {}, one.sums !== null && one.sums !== measure && Number.isFinite(one.distance) && h("button", { type: "button", class: "small", id: `use-${k}`, "aria-label": `Measure ${one.name}`, onclick: () => session.change({ measure: one.sums }) }, "Use")))))));
}
