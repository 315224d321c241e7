/** Whether the release is worth publishing: against a constant, its cost, its failures, its promises. */
import { fill, h } from "/static/dom.js";
import { drawFront, frontTable } from "/static/chart.js";
import { percent, plain, plusPercent, withUnit } from "/static/numbers.js";

const HEADS = {
  useful: (times) => (Number.isFinite(times) ? `Useful: ${plain(times, 2)} times nearer to the truth than a constant` : "Useful: nearer to the truth than a constant"),
  little: (times) => (times > 1 ? `Tells little: ${plain(times, 2)} times nearer than a constant` : "Tells little more than a constant"),
  nothing: () => "Tells nothing that a constant does not",
};

/**
 * The verdict and its figures.
 * @param {HTMLElement} place
 * @param {any} result
 * @param {string} unit
 * @param {import("/static/run.js").Run} run
 */
export function drawWorth(place, result, unit, run) {
  const worth = result?.worth;
  if (!worth) {
    fill(place, h("p", { class: "empty" }, run.running ? "Being simulated …" : "Not known yet."));
    return;
  }
  const times = worth.distance > 0 ? worth.constant_distance / worth.distance : Infinity;
  const kind = worth.verdict in HEADS ? worth.verdict : "little";
  fill(place,
    h("div", { class: `verdict ${kind}`, id: "verdict", "data-verdict": kind }, h("b", {}, HEADS[kind](times)), worth.sentence && h("p", {}, worth.sentence)),
    h("p", { class: "hint" }, "Expected distance from the true answer:"),
    against(worth.distance, worth.constant_distance),
    h("p", { class: "hint" }, `${withUnit(worth.distance, unit)}; mark: the best constant, ${withUnit(worth.constant_distance, unit)}`),
    figure("loss", plusPercent(worth.loss), `expected extra cost (privacy and safety margin)${interval(worth.loss_interval)}${Number.isFinite(worth.constant_loss) ? `; a constant ${plusPercent(worth.constant_loss)}` : ""}`),
    Number.isFinite(worth.failures) && figure("failures", percent(worth.failures), `of the simulated releases break a limit${Number.isFinite(worth.failures_allowed) ? ` (${percent(worth.failures_allowed)} allowed)` : ""}`),
    result.charge && figure("charge", `ε ${plain(Number(result.charge.epsilon))}`, `charged for one release${Number(result.charge.delta) > 0 ? `, δ ${plain(Number(result.charge.delta), 2)}` : ""}`));
}

const interval = (ends) => (Array.isArray(ends) && ends.every(Number.isFinite) ? `, between ${percent(ends[0])} and ${percent(ends[1])}` : "");

const figure = (id, value, text) => h("p", { class: "figure", id: `figure-${id}` }, h("b", {}, value), h("span", {}, text));

function against(distance, constant) {
  const right = Math.max(distance, constant) * 1.25 || 1;
  const bar = h("i");
  const mark = h("b");
  bar.style.width = `${Math.min(100, (100 * distance) / right)}%`;
  mark.style.left = `${(100 * constant) / right}%`;
  return h("div", { class: distance > constant ? "against worse" : "against", "aria-hidden": "true" }, bar, mark);
}

/** The front, drawn again only if it or its room is another. */
export function drawFrontCard(place, front, unit) {
  const key = front ? JSON.stringify(front) + place.clientWidth : "";
  if (place.key === key) return;
  place.key = key;
  if (!front?.points?.length) {
    fill(place, h("p", { class: "hint" }, "Comes last: other values of ε are simulated in the background."));
    return;
  }
  const chart = h("div");
  fill(place, chart,
    h("p", { class: "hint" }, "Shaded: no nearer to the truth than a constant, which costs no privacy. Up: dearer. Left: nearer to the truth."),
    h("details", {}, h("summary", {}, "The same as a table"), frontTable(front, unit)));
  drawFront(chart, front, unit);
}

/** The claims with their provenance. */
export function drawClaims(place, result) {
  const claims = result?.claims;
  if (!claims) {
    fill(place, h("p", { class: "hint" }, "Comes with the first answer."));
    return;
  }
  fill(place, ...["privacy", "feasibility"].filter((name) => claims[name]).map((name) => h("div", { class: "claim" },
    h("h3", {}, name === "privacy" ? "Privacy " : "Limits ", h("span", { class: `badge ${String(claims[name].provenance).toLowerCase()}` }, String(claims[name].provenance).toUpperCase())),
    h("p", { class: "hint" }, claims[name].statement))));
}
