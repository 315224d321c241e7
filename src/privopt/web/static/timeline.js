/** Spending over the rows of a ledger: a staircase of epsilon below the limit that held then. */
import { s, scale } from "/static/svg.js";
import { plain, ticks } from "/static/numbers.js";

const WIDE = 640;
const HIGH = 190;
const EDGE = { left: 44, right: 12, top: 12, bottom: 26 };

/**
 * The picture of a ledger's rows; null where there are none to show.
 * @param {any[]} rows
 * @returns {SVGElement|null}
 */
export function timelineOf(rows) {
  if (rows.length < 2) return null;
  const points = rows.map((row) => ({ ...row, spent: Number(row.spent.epsilon), limit: Number(row.limit.epsilon) }));
  const limits = points.map((one) => one.limit).filter(Number.isFinite);
  const top = Math.max(...points.map((one) => one.spent), ...limits) * 1.05 || 1;
  const x = scale(0, points.length, EDGE.left, WIDE - EDGE.right);
  const y = scale(0, top, HIGH - EDGE.bottom, EDGE.top);
  const stairs = (name) => points.map((one, k) => `${k ? "L" : "M"}${x(k)} ${y(one[name])}L${x(k + 1)} ${y(one[name])}`).join("");
  const last = points.at(-1);
  const words = `Epsilon spent over ${points.length} rows: ${plain(last.spent)} of ${plain(last.limit)} at the end.`;
  return s("svg", { class: "chart timeline", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words },
    ...ticks(0, top, 4).flatMap((value) => [
      s("line", { class: "grid", x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(value), y2: y(value) }),
      s("text", { class: "tick end", x: EDGE.left - 6, y: y(value) + 4 }, plain(value))]),
    s("path", { class: "area", d: `${stairs("spent")}L${x(points.length)} ${y(0)}L${x(0)} ${y(0)}Z` }),
    s("path", { class: "spent", d: stairs("spent") }),
    limits.length === points.length && s("path", { class: "limit", d: stairs("limit") }),
    ...points.map((one, k) => one.kind === "charge" && s("circle", { class: one.state === "released" ? "mark" : "mark burnt", cx: x(k), cy: y(one.spent), r: 4 },
      s("title", {}, `row ${one.row}: ${one.key ?? "no key"}, ε ${one.epsilon}, ${one.state}`))),
    s("line", { class: "axis", x1: EDGE.left, x2: WIDE - EDGE.right, y1: y(0), y2: y(0) }),
    s("text", { class: "tick", x: EDGE.left, y: HIGH - 8 }, `row ${points[0].row}, ${points[0].time.slice(0, 10)}`),
    s("text", { class: "tick end", x: WIDE - EDGE.right, y: HIGH - 8 }, `row ${last.row}, ${last.time.slice(0, 10)}`));
}
