/**
 * Cost against usefulness: a point for each epsilon, "you are here", and the zone where the release
 * is no nearer to the truth than the mean answer. Two constants, which cost no privacy at all: the
 * mean answer is the nearest one, and may break limits; the decided one keeps them.
 */
import { fill, h } from "/static/dom.js";
import { overlap, placed, s, scale } from "/static/svg.js";
import { percent, plain, ticks } from "/static/numbers.js";

const HEIGHT = 246;
const EDGE = { left: 52, right: 12, top: 24, bottom: 44 }; // left: as wide as the numbers there
const FIGURE = 6.4; // width of a figure of a tick
const sound = (p) => p && Number.isFinite(p.distance) && Number.isFinite(p.loss);

/**
 * Draw the front.
 * @param {HTMLElement} place
 * @param {{points: {epsilon: number, distance: number, loss: number}[], here: any, constant: any, guess?: number}} front guess: the distance of the mean answer
 * @param {string} unit
 */
export function drawFront(place, front, unit) {
  const width = Math.max(230, Math.round(place.clientWidth || 280));
  const points = front.points.filter(sound);
  const here = sound(front.here) ? front.here : null;
  const constant = sound(front.constant) ? front.constant : null; // what is not known is not drawn: it is not 0
  const all = [...points, here, constant].filter(Boolean);
  const edge = Number.isFinite(front.guess) ? front.guess : constant?.distance; // from here on the mean answer is as near
  const right = 1.12 * Math.max(...all.map(({ distance }) => distance), edge ?? 0, 1e-12);
  const losses = all.map(({ loss }) => loss).filter(Number.isFinite);
  const top = Math.max(...losses) || 1e-4;
  const low = Math.min(...losses, 0);
  const up = ticks(low, top, 3).map((v) => [v, percent(v)]);
  EDGE.left = 14 + FIGURE * Math.max(...up.map(([, text]) => text.length));
  const x = scale(0, right, EDGE.left, width - EDGE.right);
  const y = scale(low, top + 0.12 * (top - low || 1e-9), HEIGHT - EDGE.bottom, EDGE.top);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": inWords(front, unit) });
  if (Number.isFinite(edge)) svg.append(...zone(x(edge), width));
  svg.append(...axes(x, y, right, up, width, unit));
  const ordered = [...points].sort((a, b) => a.epsilon - b.epsilon);
  if (ordered.length > 1) svg.append(s("polyline", { class: "front", points: ordered.map((p) => `${x(p.distance)},${y(p.loss)}`).join(" ") }));
  svg.append(...ordered.map((p) => s("circle", { class: "dot", cx: x(p.distance), cy: y(p.loss), r: 3.5 })));
  if (constant) svg.append(s("rect", { class: "constant", x: x(constant.distance) - 4, y: y(constant.loss) - 4, width: 8, height: 8 }));
  if (here) svg.append(diamond(x(here.distance), y(here.loss)));
  svg.append(...labels(ordered, { here, constant }, x, y, width));
  fill(place, svg);
}

function zone(start, width) {
  const end = width - EDGE.right;
  return [s("rect", { class: "zone", x: start, y: EDGE.top, width: Math.max(0, end - start), height: HEIGHT - EDGE.bottom - EDGE.top }),
    s("line", { class: "zone-edge", x1: start, x2: start, y1: EDGE.top, y2: HEIGHT - EDGE.bottom })];
}

function axes(x, y, right, up, width, unit) {
  const base = HEIGHT - EDGE.bottom;
  const across = ticks(0, right, width < 320 ? 3 : 5);
  const last = (v) => x(v) + (FIGURE * plain(v).length) / 2 > width; // a number that would be cut ends at the edge
  return [
    s("text", { class: "tick", x: 2, y: 11 }, "extra cost"),
    ...up.map(([v]) => s("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: y(v), y2: y(v) })),
    ...up.map(([v, text]) => s("text", { class: "tick end", x: EDGE.left - 6, y: y(v) + 4 }, text)),
    s("line", { class: "axis", x1: EDGE.left, x2: width - EDGE.right, y1: base, y2: base }),
    ...across.map((v) => s("text", { class: last(v) ? "tick end" : "tick middle", x: last(v) ? width - 1 : x(v), y: base + 16 }, plain(v))),
    s("text", { class: "tick middle", x: (EDGE.left + width - EDGE.right) / 2, y: HEIGHT - 8 }, `distance from the true answer${unit ? `, ${unit}` : ""}`),
  ];
}

function diamond(cx, cy) {
  const r = 7;
  return s("path", { class: "here", d: `M${cx} ${cy - r}L${cx + r} ${cy}L${cx} ${cy + r}L${cx - r} ${cy}Z` });
}

/** "You are here" and the constant first; then as many epsilons as have room. */
function labels(points, front, x, y, width) {
  const frame = { x: EDGE.left, y: 2, width: width - EDGE.left - 4, height: HEIGHT - EDGE.bottom - 4 };
  const wanted = [];
  if (front.here) wanted.push([front.here, "you are here", "strong"]);
  if (front.constant) wanted.push([front.constant, CONSTANT, "zone-name"]);
  wanted.push(...points.map((point) => [point, `ε ${plain(point.epsilon, 2)}`, "tick"]));
  const taken = [...points, front.here, front.constant].filter(Boolean)
    .map((p) => ({ x: x(p.distance) - 5, y: y(p.loss) - 5, width: 10, height: 10 }));
  const found = [];
  for (const [point, text, kind] of wanted) {
    const size = { width: text.length * 6.1 + 2, height: 13 };
    const { box, cost } = placed({ x: x(point.distance), y: y(point.loss), gap: 7 }, size, taken, frame);
    const blocked = taken.some((other) => overlap(box, other) > 12);
    if (kind === "tick" && (blocked || cost > 60)) continue;
    taken.push(box);
    found.push(s("text", { class: `${kind} middle`, x: box.x + box.width / 2, y: box.y + 10.5 }, text));
  }
  return found;
}

const CONSTANT = "decided constant";

/** The same as one sentence, for those who do not see it. */
export function inWords(front, unit) {
  const one = (p) => `distance ${plain(p.distance)} ${unit}, extra cost ${percent(p.loss)}`;
  const points = front.points.map((p) => `epsilon ${plain(p.epsilon, 2)}: ${one(p)}`).join("; ");
  return `Cost against usefulness. You are here: ${front.here ? one(front.here) : "not yet known"}. Constant that is decided without a measurement: ${sound(front.constant) ? one(front.constant) : "none was found"}. ${points}.`;
}

/** The points as a table, for those who would rather read numbers. */
export function frontTable(front, unit) {
  const row = (name, p) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, plain(p.distance)), h("td", { class: "number" }, percent(p.loss)));
  return h("table", { class: "rows" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "ε"), h("th", { scope: "col", class: "number" }, `distance${unit ? `, ${unit}` : ""}`), h("th", { scope: "col", class: "number" }, "extra cost"))),
    h("tbody", {}, ...front.points.map((p) => row(plain(p.epsilon, 2), p)), row(CONSTANT, front.constant ?? {}), Number.isFinite(front.guess) && row("mean answer", { distance: front.guess })));
}
