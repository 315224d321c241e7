/**
 * What is protected: the change alpha that stays hidden, the domain of the private entries, and who
 * owns which of them.
 */
import { h } from "/static/dom.js";
import { choice, logSlider, segmented, selectField, textField } from "/static/fields.js";
import { percent } from "/static/numbers.js";

/**
 * The controls of the card.
 * @param {any} session
 * @param {import("/static/fields.js").Fields} fields
 * @param {() => any} model the model as it was last read, or null
 */
export function protectedFields(session, fields, model) {
  const unit = () => model()?.unit ?? session.form.unit ?? "";
  const alpha = fields.add(textField(session, { name: "alpha", label: "Hidden change α", inputmode: "decimal", unit, wide: true,
    hint: "Whether one owner's load was this much larger or smaller stays hidden: nobody can be sure from the release." }));
  return [alpha, ...domain(session, fields, model, unit), ...owners(session, fields)];
}

function domain(session, fields, model, unit) {
  const aroundLoads = () => session.form.case === undefined && session.form.program === undefined; // only a test network's loads are public
  let kind = session.form.around === undefined ? "bounds" : "around";
  let width = "0.1"; // to come back to
  const switcher = segmented("domain", "How the domain is given", [["around", "Around the loads"], ["bounds", "Bounds"]], (value) => {
    kind = value;
    width = session.form.around ?? width;
    session.change(value === "around" ? { lower: null, upper: null, around: width } : { around: null, ...bounds(model()) });
    arrange();
  });
  const around = fields.add(logSlider(session, { name: "around", label: "Width", low: 0.005, high: 0.9, times: 100, start: 0.1, unit: () => "%",
    say: (share) => `Each private load may lie ${percent(share)} above or below its public one. What lies outside is clamped.` }));
  const lower = fields.add(textField(session, { name: "lower", label: "Least", inputmode: "decimal", unit, wide: true }));
  const upper = fields.add(textField(session, { name: "upper", label: "Largest", inputmode: "decimal", unit, wide: true,
    hint: "A number for all, numbers by name in a file (give its path), or a list. What lies outside is clamped." }));
  const top = h("div", { class: "field" }, h("span", { class: "label" }, "Domain: where the private loads may lie"), switcher.element);
  const arrange = () => {
    switcher.sync(kind);
    switcher.element.hidden = !aroundLoads();
    around.hidden = kind !== "around";
    lower.hidden = upper.hidden = kind === "around";
  };
  const follow = () => {
    if (session.form.around !== undefined) kind = "around";
    else if (session.form.lower !== undefined || session.form.upper !== undefined || !aroundLoads()) kind = "bounds";
    arrange();
  };
  session.addEventListener("form", follow);
  session.addEventListener("adopted", follow);
  arrange();
  return [top, around, lower, upper];
}

/** Round numbers that hold the domain as it is now, to start from. */
function bounds(model) {
  const entries = model?.private ?? [];
  if (!entries.length) return {};
  const least = Math.min(...entries.map((entry) => entry.lower));
  const largest = Math.max(...entries.map((entry) => entry.upper));
  return Number.isFinite(least + largest) ? { lower: String(Number(least.toPrecision(4))), upper: String(Number(largest.toPrecision(4))) } : {};
}

function owners(session, fields) {
  let kind = kindOf(session.form);
  const labels = fields.add(textField(session, { name: "owners", label: "Labels", placeholder: "ann,ann,bob or owners.csv",
    hint: "One label for each private entry in order, or the path of a table by name." }));
  const change = fields.add(selectField(session, { name: "change", label: "What one owner may change",
    choices: [["each", "each of their entries by α"], ["total", "their entries by α together"]] }));
  const arrange = () => { labels.hidden = kind !== "labels"; change.hidden = kind === "each"; };
  const who = fields.add(choice({
    name: "who", label: "Who is an owner",
    choices: [
      ["each", "Each load", "One owner stands behind one load."],
      ["bus", "Each bus", "All entries of one bus have the same owner."],
      ["labels", "By labels", "Say which entries belong together, such as the hours of a household."],
    ],
    current: () => kind,
    choose: (value) => {
      kind = value;
      arrange();
      if (value === "labels") labels.querySelector("input").focus();
      else session.change({ owners: value === "bus" ? "bus" : null, ...(value === "each" ? { change: null } : {}) });
    },
  }));
  session.addEventListener("adopted", () => { kind = kindOf(session.form); arrange(); });
  let known = session.form.owners;
  session.addEventListener("form", () => {
    if (session.form.owners !== known) kind = kindOf(session.form);
    known = session.form.owners;
    arrange();
  });
  arrange();
  return [who, labels, change];
}

const kindOf = (form) => (form.owners === undefined ? "each" : form.owners === "bus" ? "bus" : "labels");

