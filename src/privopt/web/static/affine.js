/**
 * The public map z = z0 + K u + Z xi, evaluated in the browser: u is the demand's distance from the
 * middle of its domain, xi the noise. A decision has no Z: it is made after the noise.
 */

/**
 * @typedef {Object} AffineMap
 * @property {string[]} variables
 * @property {number[]} z0
 * @property {number[][]} K rows of z, columns of u
 * @property {number[][]|null} Z rows of z, columns of xi
 * @property {{names: string[], middle: number[], half: number[]}} private
 * @property {{law?: string, scale: number, quantile95: number}|null} noise
 * @property {{names: string[], rows: {i: number[], j: number[], v: number[]}, limits: (number|null)[]}|null} lines
 */

/**
 * z at a demand and a noise.
 * @param {AffineMap} map
 * @param {ArrayLike<number>} u
 * @param {ArrayLike<number>} [xi]
 * @returns {Float64Array}
 */
export function evaluate(map, u, xi = []) {
  const z = Float64Array.from(map.z0);
  addProduct(z, map.K, u);
  if (map.Z) addProduct(z, map.Z, xi);
  return z;
}

function addProduct(z, matrix, vector) {
  if (!vector.length) return;
  for (let row = 0; row < z.length; row += 1) {
    const entries = matrix[row];
    let sum = 0;
    for (let k = 0; k < vector.length; k += 1) sum += entries[k] * vector[k];
    z[row] += sum;
  }
}

/**
 * The flow on each line.
 * @param {AffineMap} map
 * @param {ArrayLike<number>} z
 * @returns {Float64Array}
 */
export function flows(map, z) {
  const found = new Float64Array(map.lines?.names.length ?? 0);
  if (!map.lines) return found;
  const { i, j, v } = map.lines.rows;
  for (let k = 0; k < i.length; k += 1) found[i[k]] += v[k] * z[j[k]];
  return found;
}

/**
 * How much of its limit each line carries; null where there is no limit.
 * @param {AffineMap} map
 * @param {ArrayLike<number>} z
 * @returns {(number|null)[]}
 */
export function loadings(map, z) {
  const flow = flows(map, z);
  return Array.from(flow, (value, k) => {
    const limit = map.lines.limits[k];
    return limit === null || !(limit > 0) || !Number.isFinite(limit) ? null : Math.abs(value) / limit;
  });
}

/**
 * How many columns the noise has.
 * @param {AffineMap} map
 */
export const noises = (map) => (map.Z?.length ? map.Z[0].length : 0);
