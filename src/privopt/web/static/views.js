/** A view of the library (title, warnings, facts, table, notes, claims) as elements. */
import { h } from "/static/dom.js";

/**
 * Warnings, facts, table, notes and claims of a view.
 * @param {any} view
 * @param {{facts?: boolean, claims?: boolean}} [which]
 * @returns {HTMLElement[]}
 */
export function viewOf(view, { facts = true, claims = true } = {}) {
  return [
    ...view.warnings.map((text) => h("p", { class: "warning" }, text)),
    facts && view.facts.length ? factsOf(view.facts.map((one) => [one.name, one.text])) : null,
    view.table ? tableOf(view.table) : null,
    ...view.notes.map((text) => h("p", { class: "hint" }, text)),
    ...(claims ? view.claims.map((one) => h("details", {}, h("summary", {}, one.claim),
      ...one.because.map((text) => h("p", { class: "hint" }, text)))) : []),
  ].filter((element) => element !== null);
}

/** Names and texts, one pair a row. */
export function factsOf(pairs) {
  return h("dl", { class: "facts" }, ...pairs.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]));
}

const isNumber = (text) => /^[-\u2212]?[\d.]+(e[-+]?\d+)?$/.test(text);

/** A table of texts; columns of numbers stand to the right. */
export function tableOf(table) {
  const right = table.columns.map((_, k) => k > 0 && table.rows.every((row) => row[k] === "" || isNumber(row[k])));
  const cell = (tag, text, k) => h(tag, { class: right[k] ? "number" : null, scope: tag === "th" ? (k ? "col" : "row") : null }, text);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title || "Table" },
    h("table", { class: "rows" },
      h("caption", {}, [table.title, table.left_out].filter(Boolean).join(" ")),
      h("thead", {}, h("tr", {}, ...table.columns.map((name, k) => h("th", { scope: "col", class: right[k] ? "number" : null }, name)))),
      h("tbody", {}, ...table.rows.map((row) => h("tr", {}, ...row.map((text, k) => cell(k ? "td" : "th", text, k)))))));
}
