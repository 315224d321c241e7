/**
 * Where the program comes from: a test network, a case file, a saved program, or an example.
 * Choosing another one takes away what spoke about the old one: names, owners, bounds.
 */
import { get } from "/static/api.js";
import { h } from "/static/dom.js";
import { choice, selectField, textField } from "/static/fields.js";
import { count } from "/static/numbers.js";

const SOURCES = ["network", "case", "program"];
const ABOUT_THE_OLD = ["identity", "sum", "linear", "separate", "private", "owners", "balance", "fallback"];

/** Variants of the PGLib networks. */
const VARIANTS = { __api: "With heavier loads", __sad: "With small angle differences" };

/** What a first design needs; entries that the form has already stay. */
const FIRST = {
  unit: "MW", alpha: "1", noise: "laplace", epsilon: "1", feasibility: "exact-box", eta: "0.05", mechanism: "measured", measure: "total",
};

/**
 * The entries to change for another program.
 * @param {Object<string, string>} form
 * @param {string} source
 * @param {string} value
 * @returns {Object<string, string|null>}
 */
export function another(form, source, value) {
  const entries = Object.fromEntries([...SOURCES, ...ABOUT_THE_OLD].map((name) => [name, null]));
  for (const [name, first] of Object.entries(FIRST)) if (form[name] === undefined) entries[name] = first;
  if (!["total", "each", "choose", "nothing"].includes(form.measure ?? "total")) entries.measure = "total";
  if (source === "program") Object.assign(entries, { around: null, unit: form.unit ?? null });
  else if (source === "case") Object.assign(entries, { around: null }); // its loads are private: bounds must not come from them
  else Object.assign(entries, { lower: null, upper: null, around: form.around ?? "0.1" });
  entries[source] = value;
  return entries;
}

/**
 * The controls of the first card.
 * @param {any} session
 * @param {import("/static/fields.js").Fields} fields
 */
export async function sourceFields(session, fields) {
  const { networks, examples, missing } = await get("/api/networks");
  let chosen = SOURCES.find((name) => session.form[name] !== undefined) ?? "network";
  let fresh = false; // whether the program was chosen here and its model not yet seen
  const use = (source) => (value) => { fresh = true; session.change(another(session.form, source, value)); };

  const network = selectField(session, {
    name: "network", label: "Network", change: use("network"),
    choices: [["", "Choose one …"], ...networks.filter(({ name }) => !name.includes("__")).map((one) => [one.name, described(one)])],
    groups: Object.entries(VARIANTS).map(([end, label]) => [label, networks.filter(({ name }) => name.endsWith(end)).map((one) => [one.name, described(one)])]),
    hint: missing ? undefined : "PGLib test networks; their loads are public.",
  });
  const file = textField(session, { name: "case", label: "Case file", placeholder: "/path/to/mygrid.m", change: use("case"),
    hint: "A MATPOWER file on this machine. Its loads are private: no screen shows them, and the domain must not come from them." });
  const program = textField(session, { name: "program", label: "Program file", placeholder: "/path/to/program.json", change: use("program"),
    hint: "Any convex program, as PublicProgram.save writes it." });
  const start = (form) => { fresh = true; session.change({ ...cleared(session.form), ...form }); };
  if (missing) {
    network.element.append(h("div", { class: "warning", id: "no-networks" }, h("p", {}, "The test networks, and the examples with them, are not installed."),
      h("p", {}, h("b", {}, "What to do: "), "end privopt open (Ctrl-C), run ", h("code", {}, missing), ", and start it again. A case file or a saved program works without them.")));
  }
  const list = {
    names: [],
    element: h("div", { class: "field" }, h("span", { class: "label" }, "Examples"), h("div", { class: "choices" },
      ...examples.map((one) => h("button", { type: "button", class: "example", onclick: () => start(one.form) }, one.title ?? one.name)))),
    sync: () => {},
  };
  const parts = { network, case: file, program, example: list };
  const elements = Object.fromEntries(Object.entries(parts).map(([name, control]) => [name, fields.add(control)]));
  const arrange = () => Object.entries(elements).forEach(([name, element]) => { element.hidden = name !== chosen; });

  const source = fields.add(choice({
    name: "source", label: "Taken from",
    choices: [["network", "A test network", ""], ["case", "A case file", ""], ["program", "A saved program", ""], ...(examples.length ? [["example", "An example", ""]] : [])],
    current: () => chosen,
    choose: (value) => { chosen = value; arrange(); },
  }));
  session.addEventListener("adopted", () => { chosen = SOURCES.find((name) => session.form[name] !== undefined) ?? chosen; arrange(); });
  arrange();
  const unit = fields.add(textField(session, { name: "unit", label: "Unit", list: "units", placeholder: "p.u.",
    hint: "Of the loads, of alpha, of the domain and of what is published." }));
  const units = h("datalist", { id: "units" }, ...["MW", "kW", "GW", "p.u."].map((value) => h("option", { value })));
  const has = (form) => SOURCES.some((name) => form[name] !== undefined);
  unit.hidden = !has(session.form);
  for (const name of ["form", "adopted"]) session.addEventListener(name, () => { unit.hidden = !has(session.form); });
  return {
    elements: [source, ...Object.values(elements), unit, units],
    has,
    /** Whether a program was chosen since this was last asked. */
    chosen() { const was = fresh; fresh = false; return was; },
    welcome: () => welcome(examples, start, missing),
  };
}

/** What to do first, for those who have chosen nothing. */
function welcome(examples, start, missing) {
  return h("div", { class: "welcome" },
    h("p", {}, "Publish results of an optimisation on private data, such as the dispatch of a power grid, without giving away what any one owner contributed."),
    h("ol", {}, h("li", {}, h("b", {}, "Model: "), "choose what is solved and what stays hidden."), h("li", {}, h("b", {}, "Design: "), "choose what is published, and see whether it is worth it."),
      h("li", {}, h("b", {}, "Release: "), "name the private data, look, confirm."), h("li", {}, h("b", {}, "Ledger: "), "see what is spent, and prove it.")),
    examples.length > 0 && h("p", {}, "Choose a program on this screen, or start from an example:"),
    missing && h("p", {}, "There are no test networks and no examples yet: they are not installed. Run ", h("code", {}, missing), " and start privopt open again; or choose a case file or a saved program."),
    h("div", { class: "choices" }, ...examples.map((one) => h("button", { type: "button", class: "example", onclick: () => start(one.form) }, h("b", {}, one.name), h("span", {}, one.title ?? "")))));
}

/** A network with its size, which is not counted for very large ones. */
const described = ({ name, buses, units }) => (Number.isFinite(buses) && Number.isFinite(units)
  ? `${name} (${count(buses, "bus", "buses")}, ${count(units, "unit")})` : name);

const cleared = (form) => Object.fromEntries(Object.keys(form).map((name) => [name, null]));
