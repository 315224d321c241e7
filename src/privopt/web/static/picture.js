/**
 * The program with what is published of it: the map of a network, and the table of its variables,
 * which is also the way for those who do not use the map.
 */
import { fill, h, set } from "/static/dom.js";
import { loadings } from "/static/affine.js";
import { NAMED, NetworkMap, legend } from "/static/map.js";
import { plain, percent, withUnit } from "/static/numbers.js";
import { publishedIn, toggled } from "/static/publishing.js";
import { s } from "/static/svg.js";

const FOLLOWS = 1e-6; // a gain below it is what a solver leaves

export class Picture {
  /**
   * @param {{map: HTMLElement, table: HTMLElement, legend: HTMLElement}} places
   * @param {any} model
   * @param {any} session
   */
  constructor(places, model, session) {
    this.variables = model.variables.filter((variable) => variable.publishable);
    const free = new Set(this.variables.map(({ name }) => name));
    this.model = { ...model, buses: model.buses.map((bus) => ({ ...bus, released_names: (bus.released_names ?? []).filter((name) => free.has(name)) })) };
    this.session = session;
    this.toggle = (names) => session.change(toggled(session.form, names, this.variables.map(({ name }) => name)));
    this.result = null;
    this.z = null;
    this.largest = Math.max(1e-12, ...this.variables.map(({ upper }) => (Number.isFinite(upper) ? upper : 0)));
    this.map = null;
    if (model.kind === "network" && model.buses?.length) {
      this.map = new NetworkMap(places.map, this.model, { label: `Map of ${model.title}. Units are check boxes: choose what is published.`, onToggle: (bus) => this.toggle(bus.released_names) });
      fill(places.legend, ...legendOfDesign(model.unit));
      this.spreadMark = places.legend.querySelector("#spread-mark");
    } else fill(places.map);
    this.rows = new Map();
    fill(places.table, this.table());
  }

  /** Show a result (or null) with the form as it is now. */
  show(result, form) {
    this.result = result;
    this.published = publishedIn(form);
    if (!result?.map) this.z = null;
    else if (this.of !== result.map) { this.z = Float64Array.from(result.map.z0); this.index = new Map(result.map.variables.map((name, k) => [name, k])); }
    this.of = result?.map ?? null;
    const { names = [], values = [], noise = [], error = [] } = result?.answer ?? {};
    this.measured = result?.measured !== undefined;
    this.follows = new Set(this.measured && result.map?.K ? result.map.variables.filter((_, k) => result.map.K[k].some((gain) => Math.abs(gain) > FOLLOWS)) : []);
    this.answer = new Map(names.map((name, k) => [name, { value: values[k], noise: this.measured ? error?.[k] : noise?.[k] }]));
    const words = this.measured ? "expected error" : "95 % of the noise";
    for (const place of [this.spreadHead, this.spreadMark]) if (place) place.textContent = words;
    if (result?.map) this.fitScale(result.map);
    this.draw();
  }

  /** Show another demand or noise: the map's z moved there. */
  move(z) {
    this.z = z;
    this.draw();
  }

  fitScale(map) {
    const top = Math.max(...this.variables.map(({ name }) => Math.abs(map.z0[this.index.get(name)] ?? 0)));
    if (top > 0) this.largest = 1.15 * top;
  }

  /** The value of a variable as it is moved, or as the answer has it. */
  valueOf(name) {
    const k = this.z ? this.index.get(name) : undefined;
    return k === undefined ? this.answer?.get(name)?.value ?? null : this.z[k];
  }

  /** The half-width in which 95 % of a variable's noise stays; after a measurement, its expected error. */
  noiseOf(name) {
    const said = this.answer?.get(name)?.noise;
    if (Number.isFinite(said)) return said;
    const k = this.of?.Z ? this.index.get(name) : undefined;
    return k === undefined ? 0 : this.of.noise.quantile95 * Math.hypot(...this.of.Z[k]);
  }

  draw() {
    const { unit } = this.model;
    if (this.map) this.map.update(this.onMap(unit));
    for (const [name, row] of this.rows) {
      const value = this.valueOf(name);
      const noise = this.noiseOf(name);
      row.box.checked = this.published.has(name);
      set(row.line, "aria-selected", row.box.checked ? "true" : null);
      row.value.textContent = this.several && value !== null ? withUnit(value, row.unit, 4) : plain(value, 4);
      row.noise.textContent = value === null ? "–" : noise > 0 ? `± ${plain(noise, 2)}` : this.unspread(name);
    }
  }

  /** What stands for a spread where there is none: what is not published follows the demand. */
  unspread(name) {
    if (!this.measured || this.published.has(name)) return "none";
    return this.follows.has(name) ? "follows the demand" : "stays";
  }

  onMap(unit) {
    const size = new Map();
    const noise = new Map();
    const released = new Set();
    for (const bus of this.model.buses) {
      const names = bus.released_names ?? [];
      size.set(bus.name, names.reduce((sum, name) => sum + (this.valueOf(name) ?? 0), 0));
      noise.set(bus.name, Math.hypot(...names.map((name) => this.noiseOf(name))));
      if (names.some((name) => this.published.has(name))) released.add(bus.name);
    }
    const shares = this.of?.lines && this.z ? new Map(loadings(this.of, this.z).map((share, k) => [this.of.lines.names[k], share])) : null;
    const known = this.z !== null || this.answer?.size > 0;
    const named = this.model.buses.length > NAMED; // where buses have no numbers of their own
    const told = (bus) => `${plain(size.get(bus.name))}${noise.get(bus.name) > 0 ? ` ± ${plain(noise.get(bus.name), 2)}` : ""} ${unit}`;
    const value = (bus) => (!known ? bus.released_names.join(", ") : named ? `${bus.name}: ${told(bus)}` : told(bus));
    return {
      size, noise, released, largest: this.largest,
      loading: shares ? this.model.lines.map((line) => shares.get(line.name) ?? null) : undefined,
      value,
      sayBus: (bus) => (bus.released_names?.length
        ? `bus ${bus.name}, ${bus.released_names.join(", ")}\n${known ? told(bus) : "not computed yet"}\n${released.has(bus.name) ? "published" : "not published"}`
        : `bus ${bus.name}\nno unit${bus.demand ? `, public load ${withUnit(bus.demand, unit)}` : ""}`),
      sayLine: (line) => `line ${line.from} – ${line.to}\n${shares?.get(line.name) === undefined || shares?.get(line.name) === null ? "" : `${percent(shares.get(line.name))} of `}${line.limit === null ? "no limit" : `${withUnit(line.limit, unit)}`}`,
    };
  }

  table() {
    const { unit } = this.model;
    const units = new Set(this.variables.map((variable) => variable.unit ?? unit));
    this.several = units.size > 1; // then each value has its own
    const head = ["publish", "variable", `value${unit && !this.several ? `, ${unit}` : ""}`, "95 % of the noise", "least", "largest"];
    const cells = head.map((text, k) => h("th", { scope: "col", class: k > 1 ? "number" : null }, text));
    this.spreadHead = cells[3];
    return h("table", { class: "rows" },
      h("thead", {}, h("tr", {}, ...cells)),
      h("tbody", {}, ...this.variables.map((variable) => this.row(variable))));
  }

  row({ name, lower, upper, unit }) {
    const box = h("input", { type: "checkbox", "aria-label": `publish ${name}`, onchange: () => this.toggle([name]) });
    const value = h("td", { class: "number" });
    const noise = h("td", { class: "number" });
    const line = h("tr", {}, h("td", {}, box), h("th", { scope: "row" }, name), value, noise, h("td", { class: "number" }, plain(lower)), h("td", { class: "number" }, plain(upper)));
    this.rows.set(name, { box, value, noise, line, unit: unit ?? "" });
    return line;
  }
}

/** What the marks of the map mean. */
function legendOfDesign(unit) {
  const mark = (...children) => s("svg", { class: "map", width: 24, height: 20, "aria-hidden": "true" }, ...children);
  const disc = (kind, r = 6) => s("g", { class: `node unit ${kind}` }, s("circle", { class: "disc", cx: 12, cy: 10, r }));
  const share = [["low", "under 50 %"], ["middle", "to 80 %"], ["high", "to 95 %"], ["full", "to 100 %"], ["over", "over its limit"]];
  return [
    legend([
      [mark(disc("")), `unit: area is its supply${unit ? ` in ${unit}` : ""}`],
      [mark(disc("released", 4.5), s("circle", { class: "ring", cx: 12, cy: 10, r: 8.5 })), "published"],
      [mark(disc("", 4), s("circle", { class: "noise", cx: 12, cy: 10, r: 8 })), h("span", { id: "spread-mark" }, "95 % of the noise")],
    ]),
    legend([["", "Line loading:"], ...share.map(([kind, text]) => [mark(s("line", { class: `line ${kind}`, x1: 1, x2: 23, y1: 10, y2: 10 })), text])]),
  ];
}

