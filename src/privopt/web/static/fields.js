/**
 * Controls that show and change entries of the form. Each has an element, the names of the entries
 * it stands for, and `sync`, which shows the form as it is; what is being typed is left alone.
 */
import { problemBox } from "/static/api.js";
import { fill, h, set } from "/static/dom.js";
import { number, plain, rounded } from "/static/numbers.js";

/**
 * @typedef {{element: HTMLElement, names: string[], sync: (form: Object<string, string>) => void}} Control
 */

/** Keep controls in step with the session, and show its problems beside the control they are about. */
export class Fields {
  /**
   * @param {import("/static/session.js").Session} session
   * @param {HTMLElement} rest where problems go that belong to no control here
   */
  constructor(session, rest) {
    this.session = session;
    this.rest = rest;
    /** @type {(Control & {faults: HTMLElement})[]} */
    this.controls = [];
    for (const name of ["form", "adopted"]) session.addEventListener(name, () => this.sync());
    session.addEventListener("state", () => this.judge());
    session.addEventListener("failed", (event) => fill(rest, problemBox(event.detail)));
  }

  /**
   * Take a control; returns its element.
   * @param {Control} control
   */
  add(control) {
    const faults = h("div", { class: "faults" });
    control.element.append(faults);
    this.controls.push({ ...control, faults });
    return control.element;
  }

  sync() {
    for (const control of this.controls) control.sync(this.session.form);
  }

  judge() {
    const { form } = this.session;
    const begun = Object.keys(form).length > 0; // an empty form is a beginning, not a fault
    const problems = begun ? this.session.problems : [];
    const told = new Set();
    for (const control of this.controls) {
      const mine = problems.filter((problem) => control.names.includes(problem.field) && !control.element.hidden);
      mine.forEach((problem) => told.add(problem));
      fill(control.faults, ...mine.map((problem) => problemBox(problem)));
      for (const input of control.element.querySelectorAll("input, select")) set(input, "aria-invalid", mine.length ? "true" : null);
    }
    fill(this.rest, ...problems.filter((problem) => !told.has(problem)).map((problem) => problemBox(problem)));
  }
}

/** Whether someone is at this element, so that its text is not to be replaced. */
const busy = (element) => document.activeElement === element;

/** Show a text in an input unless someone is typing there. */
export function show(input, text) {
  if (!busy(input) || input.type === "range") {
    if (input.value !== text) input.value = text;
  }
}

/** The control; its input shows what became of the form meanwhile once it is left. */
function followed(session, input, control) {
  input.addEventListener("blur", () => control.sync(session.form));
  return control;
}

/**
 * A line of text or a number.
 * @param {any} session
 * @param {{name: string, label: string, hint?: string, placeholder?: string, inputmode?: string, list?: string, unit?: () => string, wide?: boolean, change?: (value: string) => void}} options
 *   `wide`: the field takes a path too, and is as wide as the card
 * @returns {Control}
 */
export function textField(session, { name, label, hint, placeholder, inputmode, list, unit, wide, change }) {
  const id = `field-${name}`;
  const set_ = change ?? ((value) => session.change({ [name]: value }));
  const input = h("input", {
    type: "text", id, name, placeholder, inputmode, list, autocomplete: "off", spellcheck: "false",
    "aria-describedby": hint ? `${id}-hint` : null,
    onchange: (event) => { if (event.target.value.trim() !== (session.form[name] ?? "")) set_(event.target.value.trim()); },
  });
  const shown = h("span", { class: "unit" });
  const element = h("div", { class: "field" },
    unit && !wide ? h("div", { class: "labelled" }, h("label", { for: id }, label), h("span", { class: "withunit" }, input, shown)) : h("label", { for: id }, label),
    wide ? h("span", { class: "withunit wide" }, input, shown) : unit ? null : input,
    hint && h("p", { class: "hint", id: `${id}-hint` }, hint));
  return followed(session, input, { element, names: [name], sync: (form) => { show(input, form[name] ?? ""); if (unit) shown.textContent = unit(); } });
}

/**
 * A slider on a logarithmic scale with a number beside it.
 * @param {any} session
 * @param {{name: string, label: string, low: number, high: number, times?: number, unit?: () => string, start: number, say: (value: number) => string}} options
 *   `times`: what is shown is this many times the entry (100 for percentages); `start`: where the slider is without an entry
 * @returns {Control}
 */
export function logSlider(session, { name, label, low, high, times = 1, unit, start, say }) {
  const id = `field-${name}`;
  const words = h("p", { class: "hint", id: `${id}-hint` });
  const value = (t) => rounded(low * (high / low) ** (t / 1000), 2);
  const place = (x) => Math.round((1000 * Math.log(x / low)) / Math.log(high / low));
  const slider = h("input", {
    type: "range", min: 0, max: 1000, step: 1, "aria-label": `${label}, slider`, "aria-describedby": `${id}-hint`,
    oninput: (event) => { const x = value(event.target.value); if (String(x) !== session.form[name]) session.change({ [name]: String(x) }); },
  });
  const input = h("input", {
    type: "text", id, name, inputmode: "decimal", autocomplete: "off",
    onchange: (event) => {
      const x = number(event.target.value);
      const text = Number.isFinite(x) ? String(Number((x / times).toPrecision(12))) : event.target.value.trim();
      if (text !== (session.form[name] ?? "")) session.change({ [name]: text });
    },
  });
  const shown = h("span", { class: "unit" });
  const element = h("div", { class: "field" },
    h("div", { class: "labelled" }, h("label", { for: id }, label), h("span", { class: "withunit" }, input, unit && shown)), slider, words);
  return followed(session, input, {
    element,
    names: [name],
    sync(form) {
      const x = number(form[name]);
      const known = Number.isFinite(x) && x > 0;
      const at = known ? Math.min(1000, Math.max(0, place(x))) : place(start);
      if (String(at) !== slider.value) slider.value = String(at);
      set(slider, "aria-valuetext", known ? `${plain(times * x)} ${unit?.() ?? ""}` : "not set");
      show(input, form[name] === undefined ? "" : Number.isFinite(x) ? String(Number((times * x).toPrecision(6))) : form[name]);
      if (unit) shown.textContent = unit();
      words.textContent = known ? say(x) : "Not set.";
    },
  });
}

/**
 * A choice among a few, as radio buttons with a line of explanation each.
 * @param {{name: string, label: string, choices: [string, string, string][], current: (form: any) => string, choose: (value: string) => void}} options
 * @returns {Control}
 */
export function choice({ name, label, choices, current, choose }) {
  const inputs = choices.map(([value, title, text]) => {
    const input = h("input", { type: "radio", name: `choice-${name}`, value, onchange: () => choose(value) });
    return { input, element: h("label", { class: "choice" }, input, h("span", {}, title), text && h("small", {}, text)) };
  });
  const element = h("fieldset", { class: "field" }, h("legend", {}, label), h("div", { class: "choices" }, ...inputs.map((one) => one.element)));
  return { element, names: [name], sync: (form) => inputs.forEach(({ input }) => { input.checked = input.value === current(form); }) };
}

/**
 * A choice among words, as a list that opens.
 * @param {any} session
 * @param {{name: string, label: string, choices: [string, string][], groups?: [string, [string, string][]][], hint?: string, change?: (value: string) => void}} options
 *   `groups`: more choices, under a heading each
 * @returns {Control}
 */
export function selectField(session, { name, label, choices, groups = [], hint, change }) {
  const id = `field-${name}`;
  const input = h("select", { id, name, "aria-describedby": hint ? `${id}-hint` : null,
    onchange: (event) => (change ?? ((value) => session.change({ [name]: value })))(event.target.value) },
  ...choices.map(([value, text]) => h("option", { value }, text)),
  ...groups.filter(([, some]) => some.length).map(([heading, some]) => h("optgroup", { label: heading }, ...some.map(([value, text]) => h("option", { value }, text)))));
  const element = h("div", { class: "field" }, h("label", { for: id }, label), input, hint && h("p", { class: "hint", id: `${id}-hint` }, hint));
  return {
    element,
    names: [name],
    sync(form) {
      const value = form[name] ?? choices[0][0];
      if (![...input.options].some((option) => option.value === value)) input.append(h("option", { value }, value));
      input.value = value;
    },
  };
}

/**
 * Two or three short words side by side.
 * @param {string} name
 * @param {string} label read by screen readers
 * @param {[string, string][]} choices
 * @param {(value: string) => void} choose
 */
export function segmented(name, label, choices, choose) {
  const inputs = choices.map(([value, text]) => {
    const input = h("input", { type: "radio", name, value, onchange: () => choose(value) });
    return { input, element: h("label", {}, input, h("span", {}, text)) };
  });
  return {
    element: h("div", { class: "segmented", role: "radiogroup", "aria-label": label }, ...inputs.map((one) => one.element)),
    sync: (value) => inputs.forEach(({ input }) => { input.checked = input.value === value; }),
  };
}
