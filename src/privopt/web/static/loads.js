/** Public loads with their domain: as discs on the map, and as rows of a table with a bar each. */
import { h } from "/static/dom.js";
import { NetworkMap, legend } from "/static/map.js";
import { s, scale } from "/static/svg.js";
import { plain, spoken, withUnit } from "/static/numbers.js";

/** @type {{model: any, map: NetworkMap}|null} */
let drawn = null;

/**
 * Draw the map of loads; the same network is not drawn anew, only changed.
 * @param {HTMLElement} place
 * @param {any} model
 */
export function drawLoads(place, model) {
  const same = drawn && drawn.map.place.contains(drawn.map.svg) && sameNetwork(drawn.model, model);
  if (!same) drawn = { model, map: new NetworkMap(place, model, { label: `Map of ${model.title}: ${model.buses.length} buses, their public loads` }) };
  const { unit } = model;
  const loads = new Map(model.buses.map((bus) => [bus.name, bus]));
  const size = new Map(model.buses.map((bus) => [bus.name, bus.demand ?? 0]));
  const noise = new Map(model.buses.map((bus) => [bus.name, Number.isFinite(bus.upper) ? Math.max(0, bus.upper - (bus.demand ?? 0)) : 0]));
  drawn.map.update({
    size, noise, largest: Math.max(...size.values()), loading: undefined,
    sayBus: (bus) => sayLoad(loads.get(bus.name), unit),
    sayLine: (line) => `line ${line.from} – ${line.to}\n${line.limit === null ? "no limit" : `limit ${withUnit(line.limit, unit)}`}`,
  });
}

const sameNetwork = (a, b) => a.title === b.title && a.buses.length === b.buses.length && a.lines.length === b.lines.length;

function sayLoad(bus, unit) {
  const units = bus.released_names?.length ? `\nunits: ${bus.released_names.join(", ")}` : "";
  if (!bus.demand) return `bus ${bus.name}\nno load${units}`;
  const domain = Number.isFinite(bus.lower) ? `\ndomain ${plain(bus.lower)} to ${withUnit(bus.upper, unit)}` : "";
  return `bus ${bus.name}\npublic load ${withUnit(bus.demand, unit)}${domain}${units}`;
}

/** What the marks of the map mean. */
export function legendOfLoads(model) {
  const largest = Math.max(...model.buses.map((bus) => bus.demand ?? 0));
  const disc = (r) => s("svg", { width: 2 * r + 4, height: 2 * r + 4, "aria-hidden": "true", class: "map" }, s("g", { class: "node" }, s("circle", { class: "disc", cx: r + 2, cy: r + 2, r })));
  const ring = s("svg", { width: 20, height: 20, "aria-hidden": "true", class: "map" }, s("circle", { class: "noise", cx: 10, cy: 10, r: 8 }));
  return legend([[disc(8), `public load, largest ${withUnit(largest, model.unit)}`], [ring, "largest load in the domain"], [disc(3), "bus without a load"]]);
}

/** What the marks of the table mean. */
export function legendOfTable() {
  const mark = (...children) => s("svg", { class: "range", width: 24, height: 18, viewBox: "0 0 24 18", "aria-hidden": "true" }, ...children);
  return legend([
    [mark(s("rect", { class: "span", x: 1, y: 4, width: 22, height: 10 })), "domain, from least to largest"],
    [mark(s("rect", { class: "mark", x: 11, y: 3, width: 1.5, height: 12 })), "public load, or the middle of the domain"],
    [mark(s("rect", { class: "change", x: 3, y: 10, width: 18, height: 2.5 })), "hidden change α, to the same scale"],
  ]);
}

/**
 * Every private entry: its public value, its domain and alpha, to one scale.
 * @param {any} model
 */
export function loadTable(model) {
  const { unit } = model;
  const entries = model.private ?? [];
  const finite = entries.flatMap((entry) => [entry.lower, entry.upper, entry.public_value]).filter(Number.isFinite);
  const x = scale(Math.min(0, ...finite), Math.max(...finite, 1e-12), 0, 100);
  const alphas = Array.isArray(model.alpha) ? model.alpha : entries.map(() => model.alpha);
  const head = ["entry", `public${unit ? `, ${unit}` : ""}`, "least", "largest", "domain, with α to scale"];
  return h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, ...head.map((text, k) => h("th", { scope: "col", class: k > 0 && k < 4 ? "number" : null }, text)))),
    h("tbody", {}, ...entries.map((entry, k) => h("tr", {},
      h("th", { scope: "row" }, spoken(entry.name)),
      h("td", { class: "number" }, plain(entry.public_value)),
      h("td", { class: "number" }, plain(entry.lower)),
      h("td", { class: "number" }, plain(entry.upper)),
      h("td", {}, bar(entry, alphas[k], x))))));
}

function bar(entry, alpha, x) {
  if (!Number.isFinite(entry.lower + entry.upper)) return "";
  const middle = Number.isFinite(entry.public_value) ? entry.public_value : (entry.lower + entry.upper) / 2;
  return s("svg", { class: "range", viewBox: "0 0 100 18", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("line", { class: "base", x1: 0, x2: 100, y1: 9, y2: 9 }),
    s("rect", { class: "span", x: x(entry.lower), y: 4, width: Math.max(0.6, x(entry.upper) - x(entry.lower)), height: 10 }),
    Number.isFinite(alpha) && s("rect", { class: "change", x: x(middle), y: 14.5, width: Math.max(0.5, x(alpha) - x(0)), height: 2.5 }),
    s("rect", { class: "mark", x: x(middle) - 0.3, y: 3, width: 0.6, height: 12 }));
}
