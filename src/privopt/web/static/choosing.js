/**
 * What you choose: mechanism, epsilon, eta, usefulness, and what is rarely changed. A choice that
 * does not go with another changes that too: no form is made that the server must refuse.
 */
import { h } from "/static/dom.js";
import { choice, logSlider, selectField, textField } from "/static/fields.js";
import { odds, strength } from "/static/noise.js";
import { percent } from "/static/numbers.js";
import { publishedIn, publishes } from "/static/publishing.js";

const BOUNDED = "always";
const OF_REFORMULATIONS = ["beta", "scenarios", "draws", "margin", "scope"];

/**
 * The entries that change with the mechanism.
 * @param {Object<string, string>} form
 * @param {string} mechanism
 * @returns {Object<string, string|null>}
 */
export function withMechanism(form, mechanism) {
  if (mechanism !== "measured") {
    return { mechanism, measure: null, fidelity: null, within: null };
  }
  const kept = ["exact-box", BOUNDED].includes(form.feasibility);
  return { mechanism, measure: form.measure ?? "total", ...(kept ? {} : withFeasibility(form, "exact-box")) };
}

/** The entries that change with the way in which limits are kept. */
export function withFeasibility(form, feasibility) {
  const others = Object.fromEntries(OF_REFORMULATIONS.map((name) => [name, null]));
  if (feasibility === BOUNDED) return { feasibility, ...others, eta: null, ...withNoise(form, "truncated") };
  return { feasibility, ...others, eta: form.eta ?? "0.05" };
}

/** The entries that change with the noise. */
export function withNoise(form, noise) {
  const bounded = noise !== "truncated" && form.feasibility === BOUNDED ? { feasibility: "exact-box", eta: "0.05" } : {};
  return { noise, delta: noise === "laplace" ? null : form.delta ?? "1e-6", ...(noise === "gaussian" ? {} : { calibration: null }), ...bounded };
}

/**
 * The controls of the first card.
 * @param {any} session
 * @param {import("/static/fields.js").Fields} fields
 * @param {() => any} model
 * @param {() => any} worth what the last simulation said, or null
 */
export function choiceFields(session, fields, model, worth) {
  const unit = () => model()?.unit ?? session.form.unit ?? "";
  const mechanism = fields.add(choice({
    name: "mechanism", label: "Mechanism",
    choices: [
      ["measured", "Measure first, then decide", "Noise goes on a few sums of the data. Everything after that is free of charge. Proven."],
      ["plan", "The paper's plan", "Noise on each value of a plan. Its privacy is assumed, not proven."],
    ],
    current: (form) => form.mechanism ?? "measured",
    choose: (value) => session.change(withMechanism(session.form, value)),
  }));
  const epsilon = fields.add(logSlider(session, { name: "epsilon", label: "Privacy ε", low: 0.01, high: 10, start: 1,
    say: (value) => `${capital(strength(value))}. ${odds(value).words}` }));
  const eta = fields.add(logSlider(session, { name: "eta", label: "Limits may break η", low: 0.001, high: 0.2, times: 100, start: 0.05, unit: () => "%",
    say: (value) => `At most ${percent(value)} of the releases may break a limit of the network.` }));
  const arrange = () => { eta.hidden = session.form.feasibility === BOUNDED; };
  session.addEventListener("form", arrange);
  session.addEventListener("adopted", arrange);
  arrange();
  return [
    published(fields, model), mechanism, epsilon, ...usefulness(session, fields, unit, worth), eta, rarely(session, fields),
  ];
}

/** What is published, in words; and what is missing where that cannot be released. */
function published(fields, model) {
  const words = h("p", { id: "published" });
  const hint = h("p", { class: "hint" });
  const sync = (form) => {
    const names = [...publishedIn(form)];
    const units = model()?.variables.filter(({ publishable, name }) => publishable && name.startsWith("p[")) ?? [];
    const all = units.length > 0 && units.every(({ name }) => names.includes(name)) && form.identity !== undefined;
    words.textContent = !publishes(form) ? "Nothing yet" : form.sum !== undefined ? `The sum of ${listed(names)}` : names.length ? listed(names) : "Linear values of the job file";
    hint.textContent = all ? "Nobody is left to take up the noise: leave at least one unit out."
      : `Click ${units.length ? "units on the map, or tick rows of the table" : "rows of the table"}, to publish them or not.`;
    hint.classList.toggle("beyond", all);
  };
  return fields.add({ element: h("div", { class: "field" }, h("span", { class: "label" }, "Published"), words, hint), names: ["identity", "sum", "linear"], sync });
}

const listed = (names) => (names.length > 8 ? `${names.slice(0, 7).join(", ")} and ${names.length - 7} more` : names.join(", "));

function usefulness(session, fields, unit, worth) {
  let kind = kindOf(session.form);
  const weight = fields.add(logSlider(session, { name: "fidelity", label: "Weight", low: 1e-4, high: 100, start: 0.01,
    say: () => "A larger weight brings what is published nearer to the true answer, and costs more." }));
  const within = fields.add(textField(session, { name: "within", label: "Expected distance at most", inputmode: "decimal", unit,
    hint: "From the true answer, on average over the domain." }));
  const arrange = () => {
    weight.hidden = kind !== "fidelity";
    within.hidden = kind !== "within";
    which.hidden = session.form.mechanism === "plan";
    if (which.hidden) weight.hidden = within.hidden = true;
  };
  const which = fields.add(choice({
    name: "usefulness", label: "Usefulness",
    choices: [["cost", "Cheapest", ""], ["fidelity", "Weigh nearness to the truth", ""], ["within", "Stay within a distance", ""]],
    current: () => kind,
    choose: (value) => {
      kind = value;
      const distance = worth()?.distance;
      const start = Number.isFinite(distance) && distance > 0 ? Number(distance.toPrecision(2)) : 1;
      session.change({ fidelity: value === "fidelity" ? "0.01" : null, within: value === "within" ? String(start) : null });
      arrange();
    },
  }));
  const follow = () => { kind = kindOf(session.form); arrange(); };
  session.addEventListener("adopted", follow);
  session.addEventListener("form", follow);
  arrange();
  return [which, weight, within];
}

const kindOf = (form) => (form.fidelity !== undefined ? "fidelity" : form.within !== undefined ? "within" : "cost");

function rarely(session, fields) {
  const noise = fields.add(selectField(session, { name: "noise", label: "Noise",
    choices: [["laplace", "Laplace"], ["gaussian", "Gaussian"], ["truncated", "Laplace, truncated (bounded)"]],
    change: (value) => session.change(withNoise(session.form, value)) }));
  const delta = fields.add(textField(session, { name: "delta", label: "Chance δ of a larger loss", inputmode: "decimal" }));
  const ALL = [["exact-box", "all limits, exact box"], ["always", "always (bounded noise)"], ["analytic", "each limit by itself"],
    ["joint", "all limits, calibrated"], ["sampled-box", "all limits, sampled box"], ["scenario", "scenarios"]];
  const limits = fields.add(selectField(session, { name: "feasibility", label: "How the limits are kept", choices: ALL,
    change: (value) => session.change(withFeasibility(session.form, value)) }));
  const seed = fields.add(textField(session, { name: "seed", label: "Seed of the simulation", inputmode: "numeric", hint: "Never of a release." }));
  const arrange = () => {
    const { mechanism = "measured", noise: law = "laplace" } = session.form;
    delta.hidden = law === "laplace";
    for (const option of limits.querySelectorAll("option")) option.disabled = mechanism === "measured" && !["exact-box", BOUNDED].includes(option.value);
  };
  session.addEventListener("form", arrange);
  session.addEventListener("adopted", arrange);
  arrange();
  return h("details", {}, h("summary", {}, "More choices"), noise, delta, limits, seed);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
