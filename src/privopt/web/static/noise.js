/** Quantiles of the noise, and what epsilon means in odds. */

/**
 * The value that noise of this law and scale stays below with probability p.
 * @param {string|undefined} law "laplace", "truncated" (Laplace, cut far outside) or "gaussian"
 * @param {number} p between 0 and 1
 * @param {number} scale
 * @returns {number}
 */
export function quantile(law, p, scale) {
  if (law === "gaussian") return scale * normalQuantile(p);
  return p < 0.5 ? scale * Math.log(2 * p) : -scale * Math.log(2 * (1 - p));
}

// Odeh and Evans (1974): a rational approximation, good to 1.5e-8 and enough for a picture.
const TOP = [-0.322232431088, -1, -0.342242088547, -0.0204231210245, -0.0000453642210148];
const BOTTOM = [0.099348462606, 0.588581570495, 0.531103462366, 0.10353775285, 0.0038560700634];

function normalQuantile(p) {
  if (p === 0.5) return 0;
  const y = Math.sqrt(-2 * Math.log(Math.min(p, 1 - p)));
  const sum = (c) => c.reduceRight((total, each) => total * y + each, 0);
  const size = y + sum(TOP) / sum(BOTTOM);
  return p < 0.5 ? -size : size;
}

const MOST = 10; // an epsilon above leaves an even guess at more than 99.99 % sure

/** Whether an epsilon hides anything worth the name. */
export const isPrivate = (epsilon) => !(epsilon > MOST);

const NAKED = "Whoever reads the release can be sure about one owner: an even guess may become 100 % sure. Take 10 at most; 1 is common.";

/**
 * What epsilon promises, in odds and in words a layman reads.
 * @param {number} epsilon
 * @returns {{factor: number, chance: number, words: string}}
 */
export function odds(epsilon) {
  const factor = Math.exp(epsilon);
  const chance = 1 / (1 + Math.exp(-epsilon));
  if (!isPrivate(epsilon)) return { factor, chance, words: NAKED };
  const shown = factor < 1.1 ? factor.toFixed(3) : factor < 10 ? factor.toFixed(1) : Math.round(factor).toLocaleString("en-GB");
  const percent = (100 * chance).toFixed(chance > 0.99 ? 2 : chance > 0.95 ? 1 : 0);
  return {
    factor, chance,
    words: `Whoever reads the release can change their odds about one owner by at most a factor ${shown}: an even guess becomes at most ${percent} % sure.`,
  };
}

/**
 * How strong that is, in one or two words.
 * @param {number} epsilon
 */
export function strength(epsilon) {
  if (epsilon <= 0.2) return "very strong";
  if (epsilon <= 1) return "strong";
  if (epsilon <= 3) return "moderate";
  if (epsilon <= 6) return "weak";
  return isPrivate(epsilon) ? "hardly any" : "no privacy worth the name";
}
