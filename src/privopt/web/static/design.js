/**
 * Screen 2, Design: the choices, the picture that follows them, and whether the release is worth it.
 */
import { get, asProblem, problemBox } from "/static/api.js";
import { at, fill, h, onceAFrame } from "/static/dom.js";
import { choiceFields } from "/static/choosing.js";
import { drawCandidates } from "/static/candidates.js";
import { copyButtons } from "/static/copying.js";
import { Fields, segmented } from "/static/fields.js";
import { followProgress } from "/static/progress.js";
import { Picture } from "/static/picture.js";
import { Run } from "/static/run.js";
import { openShell } from "/static/shell.js";
import { WhatIf } from "/static/whatif.js";
import { drawClaims, drawFrontCard, drawWorth } from "/static/worth.js";

const { session } = await openShell();
const fields = new Fields(session, at("problems"));
const run = new Run(session);
let model = null;
let picture = null;
let whatif = null;
let asked = 0;
let read = ""; // what the model that is shown was read for
let view = "map";

const switcher = segmented("view", "How the program is shown", [["map", "Map"], ["table", "Table"]], (value) => { view = value; arrange(); });
fill(at("view"), switcher.element);
const scene = () => run.result?.worth ?? null;
fill(at("choose"), ...choiceFields(session, fields, () => model, scene));
fill(at("copy"), copyButtons(session));
followProgress(run, { line: at("progress"), failure: at("failure"), computing: at("computing") });
const redraw = onceAFrame(draw);
run.addEventListener("change", redraw);
session.addEventListener("saved", () => loadModel());
session.addEventListener("adopted", () => loadModel());
fields.sync();
fields.judge();
await loadModel();
run.start();

/** The model behind the form; it is read again only where the program or the domain may have changed. */
async function loadModel() {
  const names = ["network", "case", "program", "model", "unit", "private", "around", "lower", "upper", "alpha", "owners"];
  const key = JSON.stringify(names.map((name) => session.form[name]));
  if (key === read && model) return;
  read = key;
  const mine = ++asked;
  try {
    const found = await get("/api/model");
    if (mine !== asked) return;
    model = found;
    picture = new Picture({ map: at("picture"), table: at("table"), legend: at("legend") }, model, session);
    whatif = new WhatIf(at("whatif"), model, (z) => picture.move(z));
    const network = model.kind === "network" && model.buses?.length > 0;
    if (!network) view = "table";
    at("view").hidden = !network;
    arrange();
  } catch (error) {
    if (mine !== asked) return;
    model = picture = whatif = null;
    read = "";
    fill(at("picture"), session.problems.length
      ? h("p", { class: "empty" }, "There is no program yet: ", h("a", { href: "/model" }, "choose one on the model screen"), ".")
      : problemBox(asProblem(error)));
    fill(at("table"));
    fill(at("legend"));
    fill(at("whatif"), h("p", { class: "hint" }, "Nothing to move yet."));
  }
  fields.sync();
  draw();
}

function draw() {
  const { result, current } = run;
  for (const id of ["worth", "front", "claims", "candidates", "whatif", "picture", "table"]) at(id).classList.toggle("stale", !current && result !== null);
  if (picture) {
    picture.show(result, session.form);
    whatif.show(result?.map ?? null, result?.measured ?? null);
  }
  const unit = model?.unit ?? "";
  drawWorth(at("worth"), result, unit, run);
  drawFrontCard(at("front"), result, unit);
  drawClaims(at("claims"), result);
  drawCandidates(at("candidates"), { result, unit, session, run });
  at("candidates-card").hidden = (session.form.mechanism ?? "measured") !== "measured";
  if (current) fields.sync();
}

function arrange() {
  switcher.sync(view);
  at("picture").hidden = view !== "map";
  at("legend").hidden = view !== "map";
  at("table").hidden = view === "map";
}
