/**
 * Screen 1, Model: the program, its picture, and what is protected, beside the public loads.
 */
import { get, asProblem, problemBox } from "/static/api.js";
import { at, fill, h } from "/static/dom.js";
import { Fields, segmented } from "/static/fields.js";
import { drawLoads, legendOfLoads, legendOfTable, loadTable } from "/static/loads.js";
import { protectedFields } from "/static/protected.js";
import { sayProtection } from "/static/protection.js";
import { firstToPublish, publishes } from "/static/publishing.js";
import { openShell } from "/static/shell.js";
import { sourceFields } from "/static/source.js";

const shell = await openShell();
const { session } = shell;
const fields = new Fields(session, at("problems"));
let model = null;
let view = "map";
let asked = 0;

const switcher = segmented("view", "How the loads are shown", [["map", "Map"], ["table", "Table"]], (value) => { view = value; arrange(); });
fill(at("view"), switcher.element);

const source = await sourceFields(session, fields);
fill(at("source"), ...source.elements);
fill(at("private"), ...protectedFields(session, fields, () => model));
fields.sync();
fields.judge();
session.addEventListener("saved", load);
session.addEventListener("adopted", load);
await load();

/** Read the model of the form that the server has; an older answer never replaces a newer one. */
async function load() {
  const mine = ++asked;
  try {
    const found = await get("/api/model");
    if (mine !== asked) return;
    model = found;
    publishFirst();
    draw();
  } catch (error) {
    if (mine !== asked) return;
    model = null;
    const none = !source.has(session.form);
    fill(at("picture"), none ? source.welcome() : session.problems.length
      ? h("p", { class: "empty" }, "Nothing to show yet: the box in red says what is missing.")
      : problemBox(asProblem(error)));
    view = "map";
    at("view").hidden = true;
    at("h-picture").textContent = none ? "Begin here" : "Private loads";
    arrange();
    fill(at("table"));
  }
  at("rest").hidden = at("sense").hidden = model === null;
  fields.sync();
}

/** A program that was just chosen publishes its widest unit, so that there is a design to look at. */
function publishFirst() {
  if (!source.chosen()) return;
  const name = publishes(session.form) ? null : firstToPublish(model);
  if (name) session.change({ identity: name });
}

function draw() {
  const network = model.kind === "network" && model.buses?.length;
  if (!network) view = "table";
  at("view").hidden = !network;
  if (network) drawLoads(at("picture"), model);
  fill(at("table"), loadTable(model));
  fill(at("means"), ...sayProtection(model, session.form));
  at("h-picture").textContent = network ? "Public loads and their domain" : "Private entries and their domain";
  arrange();
}

function arrange() {
  switcher.sync(view);
  at("picture").hidden = view !== "map";
  at("table").hidden = view === "map";
  fill(at("legend"), model && (view === "map" ? legendOfLoads(model) : legendOfTable()));
}
