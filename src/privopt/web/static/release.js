/**
 * Screen 3: the frame of the curator's process. This page gives it a token and a place; it learns
 * nothing of what the frame shows, but for two words: "released" and "gone".
 */
import { asProblem, get, post, problemBox } from "/static/api.js";
import { at, fill, h } from "/static/dom.js";
import { drawShape } from "/static/shape.js";
import { openShell } from "/static/shell.js";

const frame = /** @type {HTMLIFrameElement} */ (at("frame"));
const shell = await openShell();
let origin = "";

async function open() {
  fill(at("problems"));
  try {
    if (shell.state.problems?.length) {
      fill(at("problems"), problemBox(shell.state.problems[0]),
        h("p", {}, h("a", { class: "primary", href: "/model" }, "Finish the model and the design first")));
      return;
    }
    const { address } = await post("/api/curator");
    origin = new URL(address).origin;
    frame.src = address;
    frame.hidden = false;
  } catch (error) {
    fill(at("problems"), problemBox(asProblem(error)), again());
  }
}

const again = () => h("p", {}, h("button", { type: "button", class: "primary", onclick: open }, "Open the curator's page again"));

window.addEventListener("message", (event) => {
  if (event.origin !== origin || event.source !== frame.contentWindow) return;
  if (event.data === "privopt:released") shell.refresh().catch(() => {}); // the banner says it
  if (event.data === "privopt:gone") {
    frame.hidden = true;
    fill(at("problems"), problemBox({
      got: "The curator's process does not answer.",
      needed: "the process that reads the data file.",
      remedy: "open its page again: it is started anew. What was charged is in the ledger.",
    }), again());
  }
});

async function showShape() {
  const model = await get("/api/model").catch(() => null); // without one there is nothing to show
  at("shape").hidden = !model;
  if (model) drawShape(at("shape-told"), model);
}

await Promise.all([open(), showShape()]);
