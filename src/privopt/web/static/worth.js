/** Whether the release is worth publishing: against a constant, its cost, its failures, its promises. */
import { fill, h } from "/static/dom.js";
import { drawFront, frontTable } from "/static/chart.js";
import { isPrivate } from "/static/noise.js";
import { percent, plain, plusPercent, withUnit } from "/static/numbers.js";

const EXPOSED = "At this ε whoever reads the release can be sure about one owner. Take a smaller one.";

const HEADS = {
  useful: (times) => (Number.isFinite(times) ? `Useful: ${plain(times, 2)} times nearer to the truth than a constant` : "Useful: nearer to the truth than a constant"),
  little: (times) => (times > 1 ? `Tells little: ${plain(times, 2)} times nearer than a constant` : "Tells little more than a constant"),
  nothing: () => "Tells nothing that a constant does not",
  unknown: () => "Not compared with a constant",
  exposed: () => "Near to the truth, and no privacy worth the name",
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
  const guess = worth.spread ?? worth.constant_distance; // how far off the best constant is
  const times = worth.distance > 0 && Number.isFinite(guess) ? guess / worth.distance : NaN;
  const epsilon = Number(result.charge?.epsilon ?? NaN);
  const told = worth.verdict in HEADS ? worth.verdict : "unknown";
  const kind = told === "useful" && !isPrivate(epsilon) ? "exposed" : told;
  fill(place,
    h("div", { class: `verdict ${kind}`, id: "verdict", "data-verdict": kind }, h("b", {}, HEADS[kind](times)), h("p", {}, kind === "exposed" ? EXPOSED : worth.sentence ?? result.note ?? "Its simulation is not done yet."), kind === "useful" && worth.silent?.length > 0 && h("p", { id: "silent" }, silentWords(worth.silent))),
    ...distances(worth.distance, guess, unit),
    Number.isFinite(worth.loss) && figure("loss", plusPercent(worth.loss), `expected extra cost (privacy and safety margin)${interval(worth.loss_interval)}${Number.isFinite(worth.constant_loss) ? `; publishing the decided constant: ${plusPercent(worth.constant_loss)}` : ""}`),
    Number.isFinite(worth.failures) && figure("failures", percent(worth.failures), `of the simulated releases break a limit${Number.isFinite(worth.failures_allowed) ? ` (${percent(worth.failures_allowed)} allowed)` : ""}`),
    result.charge && figure("charge", `ε ${plain(Number(result.charge.epsilon))}`, `charged for one release${Number(result.charge.delta) > 0 ? `, δ ${plain(Number(result.charge.delta), 2)}` : ""}`));
}

function distances(distance, guess, unit) {
  if (!Number.isFinite(distance)) return [];
  const far = Number.isFinite(guess) ? `; mark: the mean answer, ${withUnit(guess, unit)}, the nearest constant` : "";
  return [h("p", { class: "hint" }, "Expected distance from the true answer:"), Number.isFinite(guess) && guess + distance > 0 && against(distance, guess),
    h("p", { class: "hint", id: "distance" }, h("b", {}, withUnit(distance, unit)), far)];
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

/** The values that tell nothing beside others that do. */
const silentWords = (names) => `${names.slice(0, 8).join(", ")}${names.length > 8 ? ` and ${names.length - 8} more` : ""} ${names.length === 1 ? "tells" : "tell"} nothing: a constant would say the same. Publish the others alone.`;

/** The front, drawn again only if it or its room is another. */
export function drawFrontCard(place, result, unit) {
  const front = result?.front ? { ...result.front, guess: result.worth?.spread ?? null } : null;
  const key = front ? JSON.stringify(front) + place.clientWidth : result?.not_simulated ?? "";
  if (place.key === key) return;
  place.key = key;
  if (!front?.points?.length) {
    fill(place, h("p", { class: "hint" }, result?.not_simulated ? `Not simulated: ${result.not_simulated}` : "Comes last: other values of ε are simulated in the background."));
    return;
  }
  if (!front.points.some(({ distance }) => Number.isFinite(distance))) {
    fill(place, h("p", { class: "hint" }, "How near the plan comes to the truth is not simulated; its cost is."), frontTable(front, unit));
    return;
  }
  if ([...front.points, front.constant ?? {}].every(({ distance, loss }) => !distance && !loss)) {
    fill(place, h("p", { class: "hint" }, "Every ε comes to the same values at the same cost."));
    return;
  }
  const chart = h("div");
  fill(place, chart,
    h("p", { class: "hint" }, "Left is nearer to the truth, down is cheaper. Shaded: no nearer than the mean answer, the nearest constant, which may break limits."),
    h("p", { class: "hint", id: "decided-constant" }, front.constant ? "Square: the decided constant. Nothing is measured for it, it keeps the limits, and it costs no privacy." : "No constant was found that keeps the limits."),
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
    h("h3", {}, name === "privacy" ? "Privacy " : "Limits ", h("span", { class: `badge ${String(claims[name].provenance).toLowerCase()}` }, claims[name].label)),
    h("p", { class: "hint" }, claims[name].statement),
    claims[name].because?.length > 0 && h("details", { class: "because" }, h("summary", {}, "Why"), ...claims[name].because.map((text) => h("p", { class: "hint" }, text))))));
}
