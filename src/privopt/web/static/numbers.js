/** Numbers as people read them: three figures, thin units, no noise digits. */

/**
 * A number with about `figures` significant figures, without an exponent where it can be read.
 * @param {number|null|undefined} value
 * @param {number} [figures]
 * @returns {string}
 */
export function plain(value, figures = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return signed(Number(value.toPrecision(figures)).toExponential());
  const digits = Math.max(0, figures - 1 - Math.floor(Math.log10(size)));
  const rounded = Number(value.toFixed(Math.min(digits, 12)));
  const shown = rounded.toLocaleString("en-GB", { maximumFractionDigits: Math.min(digits, 12), useGrouping: size >= 1e4 });
  return signed(shown);
}

const signed = (text) => text.replace(/^-/, "\u2212").replace("e+", "e");

/** A value with its unit. */
export const withUnit = (value, unit, figures = 3) => `${plain(value, figures)}${unit ? `\u00a0${unit}` : ""}`;

/** A fraction as a percentage, "0.035 %". */
export const percent = (value, figures = 2) => (Number.isFinite(value) ? `${plain(100 * value, figures)}\u00a0%` : "–");

/** A change with its sign, "+0.035 %". */
export const plusPercent = (value) => (value > 0 ? `+${percent(value)}` : percent(value));

/** Rounded to a number of significant figures, as a number. */
export const rounded = (value, figures = 2) => Number(value.toPrecision(figures));

/** A text as a number; NaN if it is none (an empty one is none). */
export const number = (text) => (text === undefined || text === null || String(text).trim() === "" ? NaN : Number(text));

/** A private entry as people say it: "bus 3" of "demand[3]". */
export const spoken = (name) => name.replace(/^demand\[(.+)\]$/, "bus $1");

/** "3 lines", "1 line". */
export const count = (many, one, more = `${one}s`) => `${many.toLocaleString("en-GB")} ${many === 1 ? one : more}`;

/**
 * Values at which to draw ticks: 1, 2 or 5 times a power of ten.
 * @param {number} low
 * @param {number} high
 * @param {number} [wanted]
 * @returns {number[]}
 */
export function ticks(low, high, wanted = 5) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= raw * 0.999) ?? 10 * power;
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) found.push(Number((k * step).toPrecision(12)));
  return found;
}
