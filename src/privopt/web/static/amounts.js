/** Epsilon as a bar: what is spent, what a release would charge, what is left. */
import { h } from "/static/dom.js";
import { plain } from "/static/numbers.js";

/**
 * A bar with its key in words.
 * @param {any} ledger spent and limit
 * @param {number} [charge] epsilon of a release that would come
 * @returns {HTMLElement[]}
 */
export function amountsOf(ledger, charge = 0) {
  const spent = Number(ledger.spent?.epsilon ?? 0);
  const limit = Number(ledger.limit?.epsilon ?? NaN);
  if (!Number.isFinite(limit)) return [h("p", {}, `ε ${plain(spent)} spent, no limit`)];
  const over = spent + charge > limit * (1 + 1e-12);
  const left = Math.max(0, limit - spent - charge);
  const whole = Math.max(limit, spent + charge) || 1;
  const words = [`ε ${plain(spent)} spent`, charge ? `ε ${plain(charge)} would be charged` : null,
    over ? `only ε ${plain(Math.max(0, limit - spent))} is left` : `ε ${plain(left)} ${charge ? "would be left" : "left"}`,
    `limit ε ${plain(limit)}`].filter(Boolean);
  const part = (kind, share) => {
    const bar = h("i", { class: kind });
    bar.style.width = `${(100 * share) / whole}%`;
    return bar;
  };
  const entry = (kind, text) => h("li", {}, h("i", { class: kind, "aria-hidden": "true" }), text);
  return [
    h("div", { class: over ? "amount over" : "amount", role: "img", "aria-label": words.join(", ") },
      part("spent", spent), charge ? part("charge", charge) : null),
    h("ul", { class: "key" }, entry("spent", words[0]), charge ? entry("charge", words[1]) : null,
      entry("left", words[charge ? 2 : 1]), h("li", {}, words.at(-1))),
  ];
}
