/** Which variables the form publishes, and how a click changes that. */

/** A text of names, separated by commas that stand outside of brackets ("p[1,2],q"). */
export function namesIn(text) {
  const names = [];
  let depth = 0;
  let name = "";
  for (const letter of text ?? "") {
    if (letter === "[" || letter === "(") depth += 1;
    if (letter === "]" || letter === ")") depth -= 1;
    if ((letter === "," || letter === ";") && depth <= 0) {
      names.push(name.trim());
      name = "";
    } else name += letter;
  }
  return [...names, name.trim()].filter(Boolean);
}

/** Whether a form publishes anything. */
export const publishes = (form) => ["identity", "sum", "linear"].some((name) => form[name] !== undefined);

/**
 * The unit that a design starts with: the one with the widest range, as `privopt init` takes it.
 * @param {any} model
 * @returns {string|null}
 */
export function firstToPublish(model) {
  const width = ({ lower, upper }) => (Number.isFinite(lower) && Number.isFinite(upper) ? upper - lower : -1);
  const units = model.variables.filter(({ publishable, bus, name }) => publishable && bus !== null && name.startsWith("p["));
  return units.length ? units.reduce((best, one) => (width(one) > width(best) ? one : best)).name : null;
}

/**
 * Names of the variables that are published, by themselves or in a sum.
 * @param {Object<string, string>} form
 * @returns {Set<string>}
 */
export function publishedIn(form) {
  return new Set(namesIn(form.identity ?? form.sum ?? ""));
}

/**
 * The entries after these names were clicked: published if any was not, else no longer. Sums and
 * linear queries give way to the values themselves. Names keep the program's order.
 * @param {Object<string, string>} form
 * @param {string[]} names
 * @param {string[]} all every name that can be published, in order
 * @returns {Object<string, string|null>}
 */
export function toggled(form, names, all) {
  const published = new Set(namesIn(form.identity ?? ""));
  const on = names.some((name) => !published.has(name));
  for (const name of names) if (on) published.add(name); else published.delete(name);
  const known = all.filter((name) => published.has(name));
  const others = [...published].filter((name) => !all.includes(name));
  return { identity: [...known, ...others].join(",") || null, sum: null, linear: null, separate: null };
}
