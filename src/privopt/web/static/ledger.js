/** Screen 4: which ledger, its budget over time, its rows, quotas, verification and evidence. */
import { asProblem, get, post, problemBox } from "/static/api.js";
import { amountsOf } from "/static/amounts.js";
import { at, fill, h } from "/static/dom.js";
import { openShell } from "/static/shell.js";
import { timelineOf } from "/static/timeline.js";
import { plain } from "/static/numbers.js";

const input = (id) => /** @type {HTMLInputElement} */ (at(id));
const shell = await openShell();
let seen = ""; // what is drawn, as a text

buildForms();
await show();
shell.session.addEventListener("state", () => {
  if (JSON.stringify(shell.state.ledger) !== seen) show();
});

function field(id, label, hint, value = "") {
  return h("div", { class: "field" }, h("label", { for: id }, label),
    h("input", { type: "text", id, value, spellcheck: "false", autocomplete: "off", "aria-describedby": `${id}-hint` }),
    h("p", { class: "hint", id: `${id}-hint` }, hint));
}

function buildForms() {
  fill(at("name"),
    field("path", "Path", "A file on this machine, or the address of a ledger on a server."),
    field("limit", "Limit of a new ledger, ε", "Needed only to make one. What all releases about these data may cost together."),
    field("dataset", "Name of the data in a new ledger", "Taken from the file's name unless given."),
    h("button", { type: "submit", class: "primary", id: "use" }, "Use this ledger"));
  at("name").addEventListener("submit", (event) => { event.preventDefault(); during("use", name); });
  at("verify").addEventListener("click", () => during("verify", verify));
  fill(at("evidence"),
    h("div", { class: "field" }, h("label", { for: "files" }, "Released files, one a line"),
      h("textarea", { id: "files", rows: "4", spellcheck: "false", "aria-describedby": "files-hint" }),
      h("p", { class: "hint", id: "files-hint" }, "With its measurement and decision, a release can be computed again; what was released here is filled in.")),
    field("out", "Folder to write", "It must not be there yet."),
    h("button", { type: "submit", id: "collect" }, "Write the folder"));
  at("evidence").addEventListener("submit", (event) => { event.preventDefault(); during("collect", collect); });
}

/** Do one thing with its button locked; what fails is said, at the field that it is about. */
async function during(id, work) {
  const button = /** @type {HTMLButtonElement} */ (at(id));
  if (button.disabled) return;
  button.disabled = true;
  fill(at("problems"));
  for (const one of document.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
  try {
    await work();
  } catch (error) {
    const problem = asProblem(error);
    fill(at("problems"), problemBox(problem));
    const wrong = problem.field && document.getElementById(problem.field);
    if (wrong) { wrong.setAttribute("aria-invalid", "true"); wrong.focus(); }
    at("problems").scrollIntoView({ block: "nearest" });
  } finally {
    button.disabled = !shell.state.ledger && id !== "use";
  }
}

async function name() {
  const body = { path: input("path").value };
  for (const one of ["limit", "dataset"]) if (input(one).value.trim()) body[one] = input(one).value;
  await post("/api/ledger", body);
  fill(at("verified"));
  fill(at("written"));
  await shell.refresh();
  await show();
}

async function show() {
  seen = JSON.stringify(shell.state.ledger);
  let ledger = null;
  try {
    ledger = await get("/api/ledger");
  } catch (error) {
    fill(at("problems"), problemBox(asProblem(error)));
  }
  for (const id of ["verify", "collect"]) /** @type {HTMLButtonElement} */ (at(id)).disabled = !ledger || ledger.new;
  if (!ledger) {
    fill(at("spent"), h("p", { class: "empty" }, "No ledger is named yet: name one, or make one with a limit."));
    for (const id of ["timeline", "rows", "quotas"]) fill(at(id));
    return;
  }
  if (!input("path").value) input("path").value = ledger.path;
  const files = /** @type {HTMLTextAreaElement} */ (/** @type {unknown} */ (at("files")));
  if (!files.value.trim()) files.value = ledger.published.join("\n");
  if (document.activeElement !== input("out")) input("out").value = ledger.evidence;
  fill(at("spent"),
    h("p", { class: "hint first" }, ledger.new ? "Not made yet: the first release makes it." : `${ledger.dataset}. ${ledger.neighbours ? `Neighbours: ${ledger.neighbours}.` : ""}`),
    ...(ledger.limit ? amountsOf(ledger) : []));
  const picture = timelineOf(ledger.rows, at("timeline").clientWidth);
  fill(at("timeline"), picture, picture && h("p", { class: "hint" }, "ε spent over the rows; dashed: the limit that held. A filled dot is a release, a hollow one a charge without output."));
  fill(at("rows"), rowsOf(ledger));
  fill(at("quotas"), ...quotasOf(ledger.quotas));
}

function rowsOf(ledger) {
  if (!ledger.rows.length) return h("p", { class: "empty" }, "No rows yet.");
  const head = ["Row", "Time (UTC)", "What", "Key", "ε", "δ", "By", "Privacy"];
  return h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Rows of the ledger" },
    h("table", { class: "rows", id: "row-table" },
      h("caption", {}, ledger.before > 0 ? `The last ${ledger.rows.length} rows; ${ledger.before} are before them.` : "The newest is first."),
      h("thead", {}, h("tr", {}, ...head.map((text, k) => h("th", { scope: "col", class: k === 4 || k === 5 ? "number" : null }, text)))),
      h("tbody", {}, ...[...ledger.rows].reverse().map((row) => h("tr", {},
        h("th", { scope: "row" }, row.row), h("td", { class: "when" }, row.time.replace("T", " ").replace(/(\.\d+)?Z$/, "")), h("td", {}, row.state), h("td", {}, row.key ?? "–"),
        h("td", { class: "number" }, row.kind === "charge" ? plain(Number(row.epsilon)) : ""),
        h("td", { class: "number" }, row.kind === "charge" ? plain(Number(row.delta)) : ""),
        h("td", {}, row.releaser ?? ""), h("td", {}, row.privacy ?? ""))))));
}

function quotasOf(quotas) {
  if (!quotas.length) return [h("p", { class: "hint" }, "None. A quota limits what one releaser may spend: privopt ledger quota.")];
  return quotas.flatMap((one) => [
    h("p", {}, h("b", {}, one.releaser)), ...amountsOf(one)]);
}

async function verify() {
  fill(at("verified"), h("p", { class: "hint" }, "Reading every row …"));
  try {
    const found = await post("/api/ledger/verify");
    fill(at("verified"), h("p", { class: "good" }, `Whole: ${found.rows} rows (an output is a row of its own), ${found.charges} charges, ${found.released} released.`), h("pre", { class: "words" }, found.summary));
  } catch (error) {
    fill(at("verified"));
    throw error;
  }
}

async function collect() {
  fill(at("written"));
  const files = /** @type {HTMLTextAreaElement} */ (/** @type {unknown} */ (at("files"))).value.split("\n").map((one) => one.trim()).filter(Boolean);
  const made = await post("/api/evidence", { files, out: input("out").value });
  const unknown = made.recomputed.some((one) => one.result === "NOTE");
  const verdict = !made.sound ? "Written; not everything agrees."
    : unknown ? "Written; what can be computed again agrees, and each NOTE says what cannot."
    : "Written; everything was computed again, and agrees.";
  fill(at("written"), h("p", { class: made.sound ? "good" : "warning" }, verdict),
    h("p", { class: "hint" }, `Folder: ${made.folder}. Open ${made.page} in the browser.`),
    h("ul", { class: "files" }, ...made.recomputed.map((one) => h("li", {}, `${one.result}: ${one.what}`))));
}
