/**
 * What if demand or noise were elsewhere: sliders over the domain and over the quantiles of the
 * noise. The design is a public map, so the browser evaluates it itself, once a frame; the server
 * is not asked and nothing is charged.
 */
import { evaluate, loadings, noises } from "/static/affine.js";
import { fill, h, onceAFrame, set } from "/static/dom.js";
import { quantile } from "/static/noise.js";
import { percent, spoken, withUnit } from "/static/numbers.js";

const ALL = "*";

export class WhatIf {
  /**
   * @param {HTMLElement} place
   * @param {any} model
   * @param {(z: Float64Array) => void} moved
   */
  constructor(place, model, moved) {
    this.place = place;
    this.model = model;
    this.moved = moved;
    this.map = null;
    this.later = onceAFrame(() => this.move());
    fill(place, h("p", { class: "hint" }, "Nothing to move yet."));
  }

  /**
   * Take a new map, or none; the same one is left as it is.
   * @param {any} map
   * @param {{names: string[], noise: number|null}|null} measured what a decision was made from
   */
  show(map, measured = null) {
    if (map === this.map) return;
    this.map = map;
    this.measured = measured;
    if (!map) {
      fill(this.place, h("p", { class: "hint" }, "Nothing to move yet."));
      return;
    }
    this.entry = h("select", { "aria-label": "Which demand", onchange: this.later }, h("option", { value: ALL }, "all private demand"),
      ...map.private.names.map((name, k) => h("option", { value: k }, spoken(name))));
    this.demand = slider("demand", "Demand, from the least to the largest of its domain", -100, 100, 0, this.later);
    this.noise = slider("noise", "Noise at its quantile", 1, 99, 50, this.later);
    this.said = h("p", { class: "hint", role: "status", id: "whatif-said" });
    const back = h("button", { type: "button", class: "small", onclick: () => { this.demand.value = 0; this.noise.value = 50; this.later(); } }, "Back to the middle");
    this.demandOut = h("output", { for: "whatif-demand" });
    this.noiseOut = h("output", { for: "whatif-noise" });
    const many = noises(map);
    const fixed = !map.private.names.length; // a plan is made for one demand
    set(this.demand, "disabled", fixed);
    set(this.entry, "hidden", fixed);
    fill(this.place,
      h("div", { class: "two" },
        h("div", { class: "field" }, h("div", { class: "labelled" }, h("label", { for: "whatif-demand" }, "Demand"), this.demandOut), this.demand, this.entry,
          fixed && h("p", { class: "hint" }, "A plan is made for one demand, here the public loads: only the noise can move.")),
        h("div", { class: "field" }, h("div", { class: "labelled" }, h("label", { for: "whatif-noise" }, "Noise"), this.noiseOut), many > 0 && this.noise,
          h("p", { class: "hint" }, many ? `All ${many > 1 ? `${many} noises` : "of it"} at one quantile: half of all draws lie below 50 %.` : this.inMeasurement(measured)))),
      this.said, h("p", { class: "row" }, back, h("span", { class: "hint" }, "Computed in this page from the public map; nothing is charged.")));
    set(this.noise, "disabled", !many);
    this.move();
  }

  inMeasurement(measured) {
    const half = measured?.noise;
    const what = !measured?.names?.length ? "" : measured.names.length === 1 ? `It goes on the measured ${measured.names[0]}` : `It goes on ${measured.names.length} measured sums`;
    const size = Number.isFinite(half) ? `${what}: 95 % of it stays within ± ${withUnit(half, this.model.unit, 2)}. ` : what && `${what}. `;
    return `${size}The decision comes after it: what is published stays, and the rest of the network follows the demand.`;
  }

  /** The demand's distance from the middle, one number for each private entry. */
  u() {
    const share = Number(this.demand.value) / 100;
    const { half } = this.map.private;
    return Float64Array.from(half, (w, k) => (this.entry.value === ALL || Number(this.entry.value) === k ? share * w : 0));
  }

  xi() {
    const { noise } = this.map;
    const many = noises(this.map);
    const each = many ? quantile(noise.law, Number(this.noise.value) / 100, noise.scale) : 0;
    return new Float64Array(many).fill(each);
  }

  move() {
    const u = this.u();
    const z = evaluate(this.map, u, this.xi());
    this.say(u, z);
    this.moved(z);
  }

  /**
   * Why a limit that breaks here does not speak against the promise: the values that are shown were
   * decided for the middle, and the measurement of this demand would hardly lead to them.
   */
  elsewhere() {
    const { measured } = this;
    if (!measured?.names?.length) return null;
    const chance = measured.eta === null ? "never leads to these values" : `leads to such values with a chance of ${percent(measured.eta)} at most`;
    return `What is published was decided for a measurement of the middle. At this demand the measurement would differ, and other values would be decided: it ${chance}.`;
  }

  say(u, z) {
    const { unit } = this.model;
    const { middle } = this.map.private;
    const one = this.entry.value === ALL ? null : Number(this.entry.value);
    const total = middle.reduce((sum, value, k) => sum + (one === null || one === k ? value + u[k] : 0), 0);
    const shift = u.reduce((sum, value) => sum + value, 0) / (total - u.reduce((sum, value) => sum + value, 0));
    const share = Number.isFinite(shift) ? Number((100 * shift).toFixed(1)) : 0;
    this.demandOut.textContent = this.demand.disabled ? "fixed" : `${withUnit(total, unit, 4)} (${share > 0 ? "+" : ""}${share} %)`.replace("-", "\u2212");
    this.noiseOut.textContent = this.noise.disabled ? "before the decision" : `${this.noise.value} %`;
    set(this.demand, "aria-valuetext", this.demandOut.textContent);
    const words = broken(this.map, this.model, z, unit) ?? INSIDE;
    const elsewhere = words !== INSIDE && this.elsewhere();
    const said = elsewhere ? `${words} ${elsewhere}` : words;
    if (this.said.textContent !== said) this.said.textContent = said;
    this.said.classList.toggle("beyond", words !== INSIDE && !elsewhere);
  }
}

const INSIDE = "All limits hold here.";

/** Which limits z breaks, in words; null: none. */
function broken(map, model, z, unit) {
  const lines = map.lines ? loadings(map, z).map((share, k) => [map.lines.names[k], share]).filter(([, share]) => share > 1.0005) : [];
  const at = new Map(map.variables.map((name, k) => [name, k]));
  const units = model.variables.filter(({ name, lower, upper, publishable }) => {
    const value = z[at.get(name)];
    const slack = 1e-3 * Math.max(1, Math.abs(value));
    return publishable && ((Number.isFinite(upper) && value > upper + slack) || (Number.isFinite(lower) && value < lower - slack));
  });
  const said = [
    ...lines.sort((a, b) => b[1] - a[1]).slice(0, 4).map(([name, share]) => `line ${name} (${percent(share)})`),
    ...units.slice(0, 4).map(({ name }) => `${name} (${withUnit(z[at.get(name)], unit)})`),
  ];
  if (!said.length) return null;
  const more = lines.length + units.length - said.length;
  return `Beyond its limit: ${said.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function slider(name, label, min, max, value, oninput) {
  return h("input", { type: "range", id: `whatif-${name}`, "aria-label": label, min, max, step: 1, value, oninput });
}
