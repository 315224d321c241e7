/**
 * The network as a picture: buses where the server put them, lines by loading, supplies as discs,
 * the noise as a dashed ring, what is published as a double ring with its value.
 *
 * The picture is drawn once for its width; `update` then only changes attributes, so that demand and
 * noise can be moved at the speed of the screen. Buses with something to publish are checkboxes: one
 * stop of the tab key, arrow keys to the nearest in that direction, space or enter to publish.
 */
import { h, fill, set } from "/static/dom.js";
import { s } from "/static/svg.js";
import { steer } from "/static/steering.js";
import { Labels } from "/static/labels.js";

export const NAMED = 40; // networks up to this size show every bus's name

/** Steps of a line's loading: name, up to which share, width. Width and dashes say it without colour. */
export const STEPS = [
  ["low", 0.5, 1.2], ["middle", 0.8, 2], ["high", 0.95, 3], ["full", 1.0005, 4.2], ["over", Infinity, 5],
];

/** The step of a loading; null has no limit. */
export const stepOf = (share) => (share === null ? "free" : STEPS.find(([, upTo]) => share <= upTo)[0]);

export class NetworkMap {
  /**
   * @param {HTMLElement} place where it is drawn
   * @param {{buses: any[], lines: any[]}} model
   * @param {{label: string, onToggle?: (bus: any) => void}} options
   */
  constructor(place, model, options) {
    this.place = place;
    this.model = model;
    this.options = options;
    this.shown = null; // what `update` was last given
    this.focused = null;
    this.hovered = null; // shows the text of what the pointer or the focus is on
    new ResizeObserver(() => this.fit()).observe(place);
    this.fit();
  }

  /** Draw for the width that there is; nothing happens if it is the old one. */
  fit() {
    const width = Math.round(this.place.clientWidth);
    if (!width || width === this.width) return;
    const many = this.model.buses.length;
    const box = extent(this.model.buses);
    this.width = width;
    this.height = Math.round(Math.min(many > NAMED ? 720 : 560, Math.max(280, width * Math.min(1.1, Math.max(0.5, box.high / box.wide)))));
    this.largest = Math.max(6, Math.min(24, 0.2 * Math.sqrt((width * this.height) / many)));
    this.smallest = many > NAMED ? 2.2 : 3.5;
    this.draw();
    if (this.shown) this.update(this.shown);
  }

  draw() {
    this.hovered = null; // the marks are new
    const edge = 18 + this.largest;
    const { left, bottom, wide, high } = extent(this.model.buses);
    const across = (this.width - 2 * edge) / wide;
    const up = (this.height - 2 * edge - 12) / high;
    const by = { x: Math.min(across, 1.6 * up), y: Math.min(up, 1.6 * across) }; // stretched a little at most
    const aside = (this.width - wide * by.x) / 2;
    const above = (this.height - 12 - high * by.y) / 2;
    this.at = new Map(this.model.buses.map((bus) => [bus.name, {
      x: aside + (bus.x - left) * by.x,
      y: this.height - 12 - above - (bus.y - bottom) * by.y,
    }]));
    this.lines = this.model.lines.map((line) => this.line(line));
    this.nodes = new Map(this.model.buses.map((bus) => [bus.name, this.node(bus)]));
    this.labels = new Labels(this.width, this.height);
    this.svg = s("svg", {
      class: "map", viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height,
      role: "group", "aria-label": this.options.label,
    },
    s("g", { class: "lines", "aria-hidden": "true" }, ...this.lines.flatMap(({ hit, mark }) => [mark, hit])),
    s("g", { class: "nodes" }, ...[...this.nodes.values()].map(({ group }) => group)),
    this.labels.group);
    fill(this.place, this.svg);
    if (this.options.onToggle) {
      const stops = [...this.nodes.values()].filter(({ bus }) => bus.released_names?.length);
      steer(stops.map(({ bus, group }) => ({ group, bus, ...this.at.get(bus.name) })), this.options.onToggle, this.focused);
    }
  }

  line(line) {
    const a = this.at.get(String(line.from));
    const b = this.at.get(String(line.to));
    const ends = { x1: a.x, y1: a.y, x2: b.x, y2: b.y };
    const mark = s("line", { ...ends, class: "line free" });
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, gap: 6 };
    const hit = s("line", { ...ends, class: "hit",
      onpointerenter: () => this.hover(() => this.labels.hover(middle, this.sayLine(line))),
      onpointerleave: () => this.hover(null) });
    return { line, mark, hit };
  }

  node(bus) {
    const { x, y } = this.at.get(bus.name);
    const on = Boolean(this.options.onToggle && bus.released_names?.length);
    const ring = s("circle", { class: "ring", cx: x, cy: y, r: 0 });
    const noise = s("circle", { class: "noise", cx: x, cy: y, r: 0 });
    const disc = s("circle", { class: "disc", cx: x, cy: y, r: this.smallest });
    const area = s("circle", { class: "area", cx: x, cy: y, r: Math.max(this.largest * 0.8, 12) });
    const found = { bus, ring, noise, disc, x, y, gap: this.smallest, least: on ? Math.max(this.smallest, 4.5) : this.smallest };
    const show = () => this.labels.hover(found, this.sayBus(bus));
    found.group = s("g", {
      class: on ? "node unit" : "node", "data-bus": bus.name,
      ...(on ? { role: "checkbox", "aria-checked": "false", tabindex: "-1" } : {}),
      onpointerenter: () => this.hover(show), onpointerleave: () => this.hover(null),
      onfocus: () => { this.focused = bus.name; this.hover(show); }, onblur: () => this.hover(null),
    }, area, ring, disc, noise);
    return found;
  }

  /**
   * @param {{
   *   size: Map<string, number>, noise?: Map<string, number>, released?: Set<string>,
   *   loading?: (number|null)[], sayBus: (bus: any) => string, sayLine: (line: any, k: number) => string,
   *   value?: (bus: any) => string,
   * }} shown sizes of the discs by bus, widths of the noise, published buses, and texts
   */
  update(shown) {
    this.shown = shown;
    const largest = Math.max(shown.largest ?? 0, 1e-12);
    const radius = (value) => Math.max(this.smallest, this.largest * Math.sqrt(Math.min(1.4, Math.max(0, value) / largest)));
    for (const node of this.nodes.values()) {
      const { bus } = node;
      const value = Math.abs(shown.size.get(bus.name) ?? 0);
      const half = shown.noise?.get(bus.name) ?? 0;
      const inner = Math.max(node.least, radius(value));
      const outer = half > 0 ? Math.max(inner + 1.5, radius(value + half)) : inner;
      const released = shown.released?.has(bus.name) ?? false;
      set(node.disc, "r", inner.toFixed(2));
      set(node.noise, "r", half > 0 ? outer.toFixed(2) : 0);
      set(node.ring, "r", released ? (outer + 4).toFixed(2) : 0);
      node.gap = outer + (released ? 6 : 2);
      node.group.classList.toggle("released", released);
      node.group.classList.toggle("idle", !(value > 0));
      if (node.group.hasAttribute("role")) {
        set(node.group, "aria-checked", String(released));
        set(node.group, "aria-label", shown.sayBus(bus));
      }
    }
    this.lines.forEach(({ mark }, k) => {
      const step = stepOf(shown.loading?.[k] ?? null);
      set(mark, "class", `line ${step}`);
    });
    this.labels.place([...this.nodes.values()], {
      value: (bus) => (shown.released?.has(bus.name) ? shown.value?.(bus) ?? bus.name : null),
      name: this.model.buses.length <= NAMED && this.width >= 320 ? (bus) => bus.name : () => null,
    });
    this.hovered?.();
  }

  /** Show a text beside a mark, and again whenever the picture changes; null takes it away. */
  hover(show) {
    this.hovered = show;
    if (show) show(); else this.labels.hover(null);
  }

  sayBus(bus) { return this.shown?.sayBus(bus) ?? `bus ${bus.name}`; }

  sayLine(line) { return this.shown?.sayLine(line, this.model.lines.indexOf(line)) ?? `line ${line.name}`; }
}

/** The box that the places of buses fill. */
function extent(buses) {
  const [xs, ys] = [buses.map(({ x }) => x), buses.map(({ y }) => y)];
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)];
  return { left, bottom, wide: Math.max(0.05, Math.max(...xs) - left), high: Math.max(0.05, Math.max(...ys) - bottom) };
}

/** The legend of loadings and rings. */
export function legend(entries) {
  return h("ul", { class: "legend", "aria-label": "Legend" }, ...entries.map(([mark, text]) => h("li", {}, mark, text)));
}
