/**
 * The curator's page, in the frame of screen 3: fields, dry run, private look, typed confirmation,
 * release. It talks to the curator's process alone. What depends on the private data is shown in a
 * frame marked PRIVATE, is never kept, and is gone when it is hidden or a field changes.
 */
import { asProblem, get, post, problemBox } from "/static/api.js";
import { amountsOf } from "/static/amounts.js";
import { at, fill, h } from "/static/dom.js";
import { fieldsOf, markField, valuesOf } from "/static/private-fields.js";
import { plain } from "/static/numbers.js";
import { factsOf, viewOf } from "/static/views.js";

const say = (word) => window.parent !== window && window.parent.postMessage(`privopt:${word}`, "*");
const button = (id) => /** @type {HTMLButtonElement} */ (at(id));
const input = (id) => /** @type {HTMLInputElement} */ (at(id));

/** What is known: the dry run of the fields as they are, whether the data were looked at, what is under way. */
const now = { rehearsal: null, looked: false, busy: "", done: false };

const start = await get("/api/start").catch(failed);
if (start) {
  about(start.form);
  fill(at("where"), ...fieldsOf(start));
  at("where").addEventListener("input", changed);
  at("where").addEventListener("submit", (event) => { event.preventDefault(); rehearse(); });
  button("dry-run").addEventListener("click", rehearse);
  button("look").addEventListener("click", look);
  button("release").addEventListener("click", release);
  input("confirm").addEventListener("input", draw);
  input("clamp").addEventListener("input", draw);
  draw();
}

/** What the job is, as it was last asked for. */
function about(form) {
  const released = form.identity ?? form.sum ?? form.linear ?? "nothing yet";
  fill(at("about"), `Job: ${form.network ?? form.case ?? form.program ?? "none"}, releasing ${released}`,
    form.epsilon ? ` at ε ${form.epsilon}` : "", form.mechanism ? `, ${form.mechanism}` : "",
    ". This page is of the process that reads the data file; it stays on this machine.");
}

/** A field was changed: what was found before holds no longer. */
function changed() {
  Object.assign(now, { rehearsal: null, looked: false, done: false });
  at("done").hidden = true; // what was released is in its folder and in the ledger
  fill(at("rehearsal"));
  fill(at("looked"));
  fill(at("problems"));
  markField(null);
  draw();
}

function failed(error) {
  const problem = asProblem(error);
  if (problem.status === 0 || problem.status === 403) say("gone"); // ended, or started anew with other keys
  markField(problem);
  fill(at("problems"), problemBox(problem));
  at("problems").scrollIntoView({ block: "nearest" });
  return null;
}

/** Do one thing at a time: all buttons are locked until it is done. */
async function during(what, work) {
  if (now.busy) return;
  now.busy = what;
  fill(at("problems"));
  markField(null);
  draw();
  try {
    await work();
  } catch (error) {
    failed(error);
  } finally {
    now.busy = "";
    draw();
  }
}

function rehearse() {
  return during("The dry run is under way.", async () => {
    now.rehearsal = null;
    now.done = false;
    fill(at("rehearsal"), h("p", { class: "hint" }, "Preparing the release …"));
    try {
      const found = await post("/api/dry-run", { fields: valuesOf() });
      about((await get("/api/start")).form);
      now.rehearsal = found;
      now.looked ||= found.looked;
      fill(at("rehearsal"), ...rehearsalOf(found));
    } catch (error) {
      fill(at("rehearsal"));
      throw error;
    }
  });
}

function rehearsalOf(found) {
  const replayed = found.rehearsal?.replayed;
  const charge = replayed ? 0 : Number(found.charge.epsilon);
  return [
    ...(found.ledger ? amountsOf(found.ledger, charge) : []),
    found.fits ? null : problemBox(found.problem),
    ...found.warnings.map((text) => h("p", { class: "warning" }, text)),
    ...(found.rehearsal ? foldedFacts(found.rehearsal.view.facts) : []),
  ].filter(Boolean);
}

const FIRST = ["would charge", "made by", "tells"];

/** The facts of a dry run: the first ones in sight, the rest folded. */
function foldedFacts(facts) {
  const pairs = facts.map((one) => [one.name, one.text]);
  const first = pairs.filter(([name]) => FIRST.includes(name));
  const rest = pairs.filter(([name]) => !FIRST.includes(name));
  return [factsOf(first), rest.length ? h("details", {}, h("summary", {}, "More of the dry run"), factsOf(rest)) : null];
}

function look() {
  return during("The look is under way.", async () => {
    fill(at("looked"));
    const found = await post("/api/look", { fields: valuesOf() });
    now.looked = true;
    const hide = () => { fill(at("looked")); button("look").focus(); };
    fill(at("looked"), h("div", { class: "private", role: "group", "aria-label": "PRIVATE: a look at the data" },
      h("div", { class: "head" }, h("h3", {}, found.view.title), h("button", { type: "button", class: "small", onclick: hide }, "Hide")),
      ...viewOf(found.view),
      found.receipt && h("p", { class: "hint" }, `Receipt: ${found.receipt} (private). It approves of nothing.`)));
  });
}

/** Why nothing can be released now; empty: it can. */
function reason() {
  const { rehearsal } = now;
  if (now.busy) return now.busy;
  if (now.done) return "This key was released. Write another key for another release.";
  if (!rehearsal) return "Do the dry run first.";
  if (!rehearsal.fits) {
    const left = Number(rehearsal.ledger?.left?.epsilon ?? 0);
    return rehearsal.problem.exhausted
      ? `The budget does not allow it: ε ${plain(Number(rehearsal.charge.epsilon))} is asked, ${left > 0 ? `up to ε ${plain(left)} fits` : "nothing is left"}.`
      : rehearsal.problem.got;
  }
  if (rehearsal.clamps && !rehearsal.rehearsal.replayed && !now.looked && !input("clamp").checked) return "Look at the data first, or tick the box.";
  if (input("confirm").value !== rehearsal.key) return `Type the key, ${rehearsal.key}, to confirm.`;
  return "";
}

function draw() {
  const why = reason();
  button("dry-run").disabled = Boolean(now.busy);
  button("look").disabled = Boolean(now.busy);
  button("release").disabled = why !== "";
  at("why").textContent = why;
  for (const field of at("where").querySelectorAll("input, select")) /** @type {any} */ (field).readOnly = Boolean(now.busy);
}

function release() {
  if (reason()) return undefined;
  const { digest } = now.rehearsal;
  return during("Charging and releasing. It goes on if this page is closed: the same key then shows it, free.", async () => {
    const body = { fields: valuesOf(), out: input("field-out").value, confirm: input("confirm").value, digest, clamp: input("clamp").checked };
    const made = await post("/api/release", body);
    Object.assign(now, { done: true, rehearsal: null });
    fill(at("rehearsal"));
    input("confirm").value = "";
    fill(at("looked"));
    fill(at("made"), ...madeOf(made));
    at("done").hidden = false;
    at("done").focus();
    say("released");
  });
}

const FILES = { page: "Page", release: "Release (JSON)", decision: "Decision (JSON)", measurement: "Measurement (JSON)" };

function madeOf(made) {
  const charged = made.replayed
    ? `Replayed from row ${made.row}: the same values as before, nothing was charged.`
    : `Charged ε ${made.charge.epsilon}, row ${made.row} of the ledger.`;
  return [
    h("p", { class: "good", id: "charged" }, charged),
    ...viewOf(made.view, { facts: false }),
    h("h3", {}, "Files, which may be published"),
    h("ul", { class: "files" }, ...Object.entries(FILES).filter(([kind]) => made.files[kind]).map(([kind, label]) =>
      h("li", {}, h("a", { href: made.files[kind].address, target: "_blank", rel: "noopener" }, label), h("small", {}, made.files[kind].path)))),
    made.no_page && h("p", { class: "hint" }, made.no_page),
    ...(made.ledger ? amountsOf(made.ledger) : []),
  ].filter(Boolean);
}
