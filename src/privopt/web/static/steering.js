/**
 * Keys in a picture: the whole picture is one stop of the tab key, the arrow keys go to the nearest
 * mark in their direction, and space or enter (or a click) chooses it.
 */

const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

/**
 * @param {{group: SVGElement, bus: any, x: number, y: number}[]} marks
 * @param {(bus: any) => void} choose
 * @param {string|null} first the name of the mark that has the tab stop; the first one if it is not there
 */
export function steer(marks, choose, first) {
  const stop = marks.find(({ bus }) => bus.name === first) ?? marks[0];
  stop?.group.setAttribute("tabindex", "0");
  for (const mark of marks) {
    mark.group.addEventListener("click", () => { give(marks, mark); choose(mark.bus); });
    mark.group.addEventListener("keydown", (event) => {
      const key = /** @type {KeyboardEvent} */ (event).key;
      if (key === " " || key === "Enter") choose(mark.bus);
      else if (WAYS[key]) give(marks, nearest(marks, mark, WAYS[key]));
      else if (key === "Home") give(marks, marks[0]);
      else if (key === "End") give(marks, marks[marks.length - 1]);
      else return;
      event.preventDefault();
    });
  }
}

function give(marks, mark) {
  for (const other of marks) other.group.setAttribute("tabindex", other === mark ? "0" : "-1");
  mark.group.focus();
}

/** The mark that is nearest in a direction, those to the side counted as farther; itself if there is none. */
export function nearest(marks, from, [right, down]) {
  let best = from;
  let least = Infinity;
  for (const mark of marks) {
    const x = mark.x - from.x;
    const y = mark.y - from.y;
    const along = x * right + y * down;
    const aside = Math.abs(x * down) + Math.abs(y * right);
    if (mark === from || along <= 0.5) continue;
    const distance = along + 2 * aside;
    if (distance < least) [best, least] = [mark, distance];
  }
  return best;
}
