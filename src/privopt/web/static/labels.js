/**
 * Texts on a map: values of what is published, names of buses where there is room, and one more for
 * what the pointer or the focus is on. Places are chosen once for a set of texts and kept while only
 * numbers change, so that nothing jumps while a slider moves.
 */
import { fill, set } from "/static/dom.js";
import { placed, s } from "/static/svg.js";

const LETTER = 6.7; // width of a letter at 12 pixels, with something to spare
const HIGH = 14;

export class Labels {
  /**
   * @param {number} width
   * @param {number} height
   */
  constructor(width, height) {
    this.frame = { x: 2, y: 2, width: width - 4, height: height - 4 };
    this.fixed = s("g", { "aria-hidden": "true" });
    this.hovering = s("g", { class: "hovering", "aria-hidden": "true" });
    this.group = s("g", { class: "labels" }, this.fixed, this.hovering);
    this.key = "";
    this.texts = new Map();
  }

  /**
   * @param {{bus: any, x: number, y: number, gap: number}[]} nodes
   * @param {{value: (bus: any) => string|null, name: (bus: any) => string|null}} say
   */
  place(nodes, say) {
    const values = nodes.map((node) => [node, say.value(node.bus)]).filter(([, text]) => text);
    const names = nodes.map((node) => [node, say.name(node.bus)]).filter(([, text]) => text);
    const key = values.map(([node, text]) => `${node.bus.name}:${Math.ceil(text.length / 3)}:${Math.round(node.gap / 5)}`).join();
    if (key === this.key && this.texts.size) {
      for (const [node, text] of values) {
        const there = this.texts.get(node.bus.name);
        if (there) there.textContent = text;
      }
      return;
    }
    this.key = key;
    this.texts = new Map();
    const taken = nodes.map(({ x, y, gap }) => ({ x: x - gap, y: y - gap, width: 2 * gap, height: 2 * gap }));
    fill(this.fixed);
    for (const [node, text] of values) this.put(node, text, "value", taken, Infinity);
    for (const [node, text] of names) this.put(node, text, "name", taken, 40);
  }

  put(node, text, kind, taken, worst) {
    const size = { width: text.length * LETTER * (kind === "name" ? 0.95 : 1.06) + 2, height: HIGH };
    const { box, cost } = placed(node, size, taken, this.frame);
    if (cost > Math.min(worst, kind === "value" && taken.length > 90 ? 160 : worst)) return;
    taken.push(box);
    const label = s("text", { class: kind, x: box.x + box.width / 2, y: box.y + 11 }, text);
    this.fixed.append(label);
    if (kind === "value") this.texts.set(node.bus.name, label);
  }

  /**
   * One more text, in a box above everything; null takes it away.
   * @param {{x: number, y: number, gap: number}|null} point
   * @param {string} [text]
   */
  hover(point, text = "") {
    if (!point) { fill(this.hovering); return; }
    const lines = text.split("\n");
    const size = { width: Math.max(...lines.map((line) => line.length)) * LETTER + 14, height: lines.length * 16 + 8 };
    const { box } = placed(point, size, [], this.frame);
    const x = Math.max(this.frame.x, Math.min(box.x, this.frame.x + this.frame.width - size.width));
    const y = Math.max(this.frame.y, Math.min(box.y, this.frame.y + this.frame.height - size.height));
    fill(this.hovering,
      s("rect", { x, y, rx: 5, ...size }),
      ...lines.map((line, k) => s("text", { x: x + 7, y: y + 16 + 16 * k, class: k ? "more" : "first" }, line)));
    set(this.hovering, "class", "hovering");
  }
}
