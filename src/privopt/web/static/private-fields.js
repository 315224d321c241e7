/** The fields of the curator's page: where data, ledger and files are, and the key. */
import { at, h } from "/static/dom.js";

const MAIN = {
  data: ["Data file", "The private data d: CSV, Parquet or JSON, on this machine. Above this frame is what it must hold."],
  ledger: ["Ledger", "It counts what is spent about these data. One that is not there is made, with the limit."],
  limit: ["Limit of a new ledger", "The ε that all releases about these data may cost together."],
  key: ["Key", "A name for this release. Asked again under the same key, it is replayed, and nothing is charged twice."],
};
const MORE = ["columns", "decimal", "missing", "sites", "bounded", "dataset", "limit-delta", "releaser", "anchor"];
const YES_OR_NO = ["bounded"];
const OUT = ["Folder for what is released", "It is made if it is not there. Nothing is written over."];

/**
 * All fields, as they are at first.
 * @param {any} start what GET /api/start answered
 * @returns {HTMLElement[]}
 */
export function fieldsOf(start) {
  const texts = start.fields;
  const inJob = start.in_job ? { data: "The job file holds the data itself; a file named here goes before." } : {};
  const open = MORE.some((name) => texts[name]);
  return [
    ...Object.entries(MAIN).map(([name, [label, hint]]) => field(name, label, inJob[name] ?? hint, texts[name])),
    field("out", ...OUT, start.out),
    h("details", { open }, h("summary", {}, "More: how the file is read, who releases"),
      ...MORE.map((name) => field(name, name.replace("-", " "), start.labels[name].help, texts[name], start.labels[name].choices))),
  ];
}

function field(name, label, hint, value = "", choices = []) {
  const id = `field-${name}`;
  const common = { id, name, "aria-describedby": `${id}-hint` };
  const control = choices.length
    ? h("select", common, h("option", { value: "" }, "as usual"), ...choices.map((one) => h("option", { value: one, selected: one === value }, one)))
    : YES_OR_NO.includes(name) ? h("select", common, h("option", { value: "" }, "no"), h("option", { value: "true", selected: value === "true" }, "yes"))
    : h("input", { ...common, type: "text", value, spellcheck: "false", autocomplete: "off" });
  return h("div", { class: "field" }, h("label", { for: id }, label.charAt(0).toUpperCase() + label.slice(1)), control,
    h("p", { class: "hint", id: `${id}-hint` }, hint));
}

/** The fields that are not empty, by name, and the data file in any case; the folder is not among them. */
export function valuesOf() {
  const found = {};
  for (const one of /** @type {NodeListOf<HTMLInputElement>} */ (at("where").querySelectorAll("input, select"))) {
    if (one.name !== "out" && (one.value.trim() || one.name === "data")) found[one.name] = one.value;
  }
  return found;
}

/** Mark the field that a problem is about; null: none. */
export function markField(problem) {
  for (const one of document.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
  const wrong = problem?.field && (document.getElementById(`field-${problem.field}`) ?? document.getElementById(problem.field));
  if (!wrong) return;
  wrong.setAttribute("aria-invalid", "true");
  wrong.closest("details")?.setAttribute("open", "");
  wrong.focus();
}
