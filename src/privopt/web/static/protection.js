/** What alpha and the domain mean beside the public loads, in sentences. */
import { h } from "/static/dom.js";
import { count, percent, spoken, withUnit } from "/static/numbers.js";

/**
 * @param {any} model
 * @param {Object<string, string>} form
 * @returns {HTMLElement[]}
 */
export function sayProtection(model, form) {
  const { unit } = model;
  const entries = model.private ?? [];
  const alpha = Number(form.alpha);
  const known = entries.filter((entry) => Number.isFinite(entry.public_value) && entry.public_value > 0);
  const sentences = [h("p", {}, h("b", {}, count(entries.length, "private entry", "private entries")), owned(model, form))];
  if (Number.isFinite(alpha) && known.length) {
    const sorted = [...known].sort((a, b) => a.public_value - b.public_value);
    const beside = (entry, what) => h("li", {}, `${percent(alpha / entry.public_value)} of the ${what} public load (${withUnit(entry.public_value, unit)}, ${spoken(entry.name)})`);
    sentences.push(h("p", {}, `A change of ${withUnit(alpha, unit)} is`),
      h("ul", { class: "plain" }, beside(sorted[sorted.length - 1], "largest"), beside(sorted[Math.floor(sorted.length / 2)], "middle"), beside(sorted[0], "smallest")));
  }
  const wide = tooWide(model);
  if (wide) sentences.push(h("p", { class: "warning", id: "wide-alpha" }, wide));
  const sum = (name) => entries.reduce((total, entry) => total + entry[name], 0);
  const bounded = entries.length > 0 && entries.every((entry) => Number.isFinite(entry.lower) && Number.isFinite(entry.upper));
  if (bounded) {
    const total = known.length ? `, publicly ${withUnit(known.reduce((all, entry) => all + entry.public_value, 0), unit)}` : "";
    sentences.push(h("p", {}, `In the domain the total lies between ${withUnit(sum("lower"), unit)} and ${withUnit(sum("upper"), unit)}${total}.`));
  }
  return sentences;
}

/** That alpha is wider than the domain, so that the noise is larger than it need be. */
function tooWide(model) {
  const { unit } = model;
  const entries = (model.private ?? []).map((entry, k) => ({ ...entry, width: entry.upper - entry.lower, alpha: Array.isArray(model.alpha) ? model.alpha[k] : model.alpha }))
    .filter((entry) => Number.isFinite(entry.lower) && Number.isFinite(entry.upper) && Number.isFinite(entry.alpha));
  const wide = entries.filter((entry) => entry.width > 0 && entry.alpha > entry.width);
  if (!wide.length) return null;
  const all = wide.length === entries.length;
  const most = Math.max(...wide.map((entry) => entry.width));
  const which = all ? "every private entry" : `${count(wide.length, "private entry", "private entries")} (${wide.slice(0, 4).map(({ name }) => spoken(name)).join(", ")}${wide.length > 4 ? ", …" : ""})`;
  return `The hidden change α is wider than the domain of ${which}: an entry cannot change by more than its domain, ${all ? "" : "there "}${withUnit(most, unit)} at most. A larger α only adds noise.`;
}

function owned(model, form) {
  const owners = model.owners ? new Set(model.owners).size : null;
  if (owners === null) return ", each with an owner of its own.";
  return ` of ${count(owners, "owner")}${form.change === "total" ? ", who may change their entries by α together." : ", who may change each of theirs by α."}`;
}
