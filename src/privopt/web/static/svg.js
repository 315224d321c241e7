/** Scalable pictures: elements, straight scales, and labels that keep out of each other's way. */
import { furnished } from "/static/dom.js";

const SPACE = "http://www.w3.org/2000/svg";

/**
 * An SVG element; attributes, listeners and children as in `h`.
 * @param {string} tag
 * @param {Object<string, unknown>} [attributes]
 * @param {...(Node|string|number|null|undefined|false)} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS(SPACE, tag), attributes, children);
}

/**
 * The straight map that takes `low` to `start` and `high` to `end`.
 * @param {number} low
 * @param {number} high
 * @param {number} start
 * @param {number} end
 * @returns {(value: number) => number}
 */
export function scale(low, high, start, end) {
  const span = high - low || 1;
  return (value) => start + ((value - low) / span) * (end - start);
}

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 */

/** How far two boxes overlap, as an area. */
export function overlap(a, b) {
  const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}

// Where a label may stand about its point: below, above, right, left, then the corners.
const PLACES = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]];

/**
 * A place for a label of a given size beside a point of radius `gap`: the one that overlaps least
 * with what is taken and stays inside of `frame`.
 * @param {{x: number, y: number, gap: number}} point
 * @param {{width: number, height: number}} size
 * @param {Box[]} taken
 * @param {Box} frame
 * @returns {{box: Box, cost: number}}
 */
export function placed(point, size, taken, frame) {
  let best = null;
  PLACES.forEach(([right, down], rank) => {
    const corner = right && down ? 0.75 : 1;
    const box = {
      x: point.x + right * (point.gap * corner + size.width / 2 + 2) - size.width / 2,
      y: point.y + down * (point.gap * corner + size.height / 2 + 1) - size.height / 2,
      ...size,
    };
    const outside = size.width * size.height - overlap(box, frame);
    const cost = rank * 0.5 + 4 * outside + taken.reduce((sum, other) => sum + overlap(box, other), 0);
    if (!best || cost < best.cost) best = { box, cost };
  });
  return best;
}
