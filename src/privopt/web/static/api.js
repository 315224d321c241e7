/**
 * The server's JSON, and its refusals: every error says what was got, what is needed and what to do.
 */
import { h } from "/static/dom.js";

/** A refusal of the server, or (status 0) its silence. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {{got?: string, needed?: string, remedy?: string, field?: string|null}} said
   * @param {any} body the whole answer
   */
  constructor(status, said, body) {
    super(said.got ?? "The server refused.");
    this.status = status;
    this.got = said.got ?? `The server answered ${status}.`;
    this.needed = said.needed ?? "";
    this.remedy = said.remedy ?? "";
    this.field = said.field ?? null;
    this.body = body;
  }

  /** Whether the server did not answer at all. */
  get gone() { return this.status === 0; }
}

const KEY = "privopt-key";
const given = /^#key=([\w-]+)$/.exec(window.location.hash);
if (given) { // kept for this origin, port included, where a cookie is for all ports of the machine
  window.localStorage.setItem(KEY, given[1]);
  window.history.replaceState(null, "", window.location.pathname + window.location.search);
}

const GONE = {
  got: "The workbench does not answer.",
  needed: "the process that privopt open started.",
  remedy: "start it again with: privopt open, and use the address that it prints.",
};

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function ask(method, path, body) {
  const headers = { Accept: "application/json", "X-Privopt-Key": window.localStorage.getItem(KEY) ?? "" };
  const request = { method, headers, cache: "no-store" };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    document.dispatchEvent(new CustomEvent("server", { detail: false }));
    throw new Problem(0, GONE, null);
  }
  document.dispatchEvent(new CustomEvent("server", { detail: true }));
  const text = await response.text();
  const data = parsed(text);
  if (!response.ok) throw new Problem(response.status, data?.error ?? { got: text.slice(0, 200) || undefined }, data);
  return data === undefined ? text : data;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return undefined; }
}

export const get = (path) => ask("GET", path);
export const put = (path, body) => ask("PUT", path, body);
export const post = (path, body = {}) => ask("POST", path, body);
export const del = (path) => ask("DELETE", path);

/**
 * A problem as a box: got, needed, remedy.
 * @param {{got: string, needed?: string, remedy?: string}} problem
 * @param {Object<string, unknown>} [attributes]
 * @returns {HTMLElement}
 */
export function problemBox(problem, attributes = {}) {
  return h("div", { class: "problem", role: "alert", ...attributes },
    h("p", {}, problem.got),
    problem.needed && h("p", {}, h("b", {}, "Needed: "), problem.needed),
    problem.remedy && h("p", { class: "remedy" }, "What to do: ", problem.remedy));
}

/**
 * What was thrown, as a problem: our own as it is, a fault of the page as one that says so.
 * @param {unknown} error
 * @returns {Problem}
 */
export function asProblem(error) {
  if (error instanceof Problem) return error;
  return new Problem(-1, {
    got: `The page failed: ${error instanceof Error ? error.message : error}`,
    needed: "a page that works.",
    remedy: "reload it; if it fails again, report it.",
  }, null);
}
