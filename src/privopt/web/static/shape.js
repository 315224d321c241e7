/**
 * What the data file must hold: its first line, and a line for each private entry. Made of the
 * public model alone; where the loads are a test network's, they stand there as an example.
 */
import { fill, h } from "/static/dom.js";

const FIRST = 4; // lines that are shown
const BUS = /^demand\[([^\],]+)\]$/;

/** The lines of a file for a model. */
export function linesOf(model) {
  const asked = model.private.filter((one) => !(one.lower === 0 && one.upper === 0)); // those need no line
  const buses = asked.map((one) => BUS.exec(one.name)?.[1]);
  const byBus = buses.every((bus) => bus !== undefined);
  const value = model.unit ? `load (${model.unit})` : byBus ? "load" : "value";
  const middle = (one) => one.public_value ?? ((one.lower ?? 0) + (one.upper ?? 0)) / 2;
  return [
    byBus ? `bus,${value}` : "name,value",
    ...asked.map((one, k) => `${byBus ? buses[k] : one.name},${Number(middle(one).toPrecision(6))}`),
  ];
}

/** Show them in a place; `copied` is told when the whole example is on the clipboard. */
export function drawShape(place, model) {
  const lines = linesOf(model);
  const said = h("span", { class: "hint", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
      said.textContent = " Copied: save it as loads.csv.";
    } catch {
      said.textContent = " The browser does not let this page copy.";
    }
  };
  const known = model.private.some((one) => one.public_value !== null);
  fill(place,
    h("pre", {}, [...lines.slice(0, 1 + FIRST), lines.length > 1 + FIRST ? `… ${lines.length - 1} lines in all` : null].filter(Boolean).join("\n")),
    h("p", { class: "hint" }, `A CSV, Parquet or JSON file on this machine. ${lines[0].startsWith("bus") ? "Several lines of one bus are added up; a column customer may stand beside them. " : ""}`
      + `The numbers above are ${known ? "the public loads" : "the middle of the domain"}, as an example: yours stand in their place.`),
    h("p", { class: "row" }, h("button", { type: "button", class: "small", id: "copy-shape", onclick: copy }, "Copy the whole example"), said));
}
