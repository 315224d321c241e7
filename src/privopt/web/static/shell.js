/**
 * What surrounds every screen: the job's title, "public data only", the four screens, the budget,
 * and a banner when the server is gone or another tab changed the job.
 */
import { Session } from "/static/session.js";
import { asProblem, problemBox } from "/static/api.js";
import { at, fill, h } from "/static/dom.js";
import { plain } from "/static/numbers.js";

const SCREENS = [["model", "Model"], ["design", "Design"], ["release", "Release"], ["ledger", "Ledger"]];
const POLL = 5000; // milliseconds between looks at the state, while the tab is in view

/**
 * Open the shell; throws after showing the problem if there is no state to show.
 * @returns {Promise<{session: Session, readonly state: any, refresh: () => Promise<void>}>}
 */
export async function openShell() {
  const header = at("top");
  const budget = h("div", { class: "budget", id: "budget" });
  const title = h("b", { id: "job-title" }, "…");
  header.before(h("a", { class: "skip", href: "#main" }, "Skip to the content"));
  fill(header,
    h("a", { class: "brand", href: "/model" }, "privopt"),
    h("div", { class: "job" }, title, h("span", {}, "public data only")),
    h("nav", { "aria-label": "Screens" }, h("ul", { class: "screens" }, ...SCREENS.map(entry))),
    budget);
  const banners = h("div", { id: "banners", "aria-live": "polite" });
  header.after(banners);
  watchServer(banners);

  let session;
  try {
    session = await Session.open();
  } catch (error) {
    fill(at("main"), problemBox(asProblem(error)));
    throw error;
  }
  const draw = () => {
    title.textContent = titleOf(session.form) ?? "no program yet";
    fill(budget, ...budgetOf(session.state.ledger));
  };
  for (const name of ["state", "form"]) session.addEventListener(name, draw);
  session.addEventListener("adopted", () => tell(banners, "adopted",
    "Another tab changed the job.", "This page now shows it; a change that was not yet sent is dropped."));
  draw();
  keepLooking(session);
  return { session, get state() { return session.state; }, refresh: () => session.refresh() };
}

/** What the job is about: the network's name, or that of the file. */
const titleOf = (form) => form.network ?? (form.case ?? form.program)?.split("/").pop();

function entry([name, label], k) {
  const here = document.documentElement.dataset.screen === name;
  return h("li", {}, h("a", { href: `/${name}`, "aria-current": here ? "page" : null },
    h("span", { class: "number", "aria-hidden": "true" }, k + 1), label));
}

/** The budget bar: what is spent of the limit, in words too. */
export function budgetOf(ledger) {
  if (!ledger) return [h("span", {}, "no ledger yet")];
  const spent = Number(ledger.spent?.epsilon ?? 0);
  const limit = Number(ledger.limit?.epsilon ?? NaN);
  const words = Number.isFinite(limit) ? `ε ${plain(spent)} of ${plain(limit)} spent` : `ε ${plain(spent)} spent, no limit`;
  if (!Number.isFinite(limit)) return [h("span", {}, words)];
  const share = limit > 0 ? Math.min(1, spent / limit) : 1;
  const bar = h("i");
  bar.style.width = `${100 * share}%`;
  return [
    h("div", { class: share >= 1 ? "meter full" : "meter", role: "img", "aria-label": words }, bar),
    h("span", {}, words, share >= 1 ? " (exhausted)" : ""),
  ];
}

/** Show a banner once under its name; it can be closed. */
export function tell(banners, name, head, text, kind = "") {
  banners.querySelector(`[data-banner="${name}"]`)?.remove();
  const banner = h("div", { class: `banner ${kind}`, "data-banner": name, role: kind ? "alert" : null },
    h("span", {}, h("b", {}, head), text),
    h("button", { class: "small", type: "button", onclick: () => banner.remove() }, "Close"));
  banners.append(banner);
}

function watchServer(banners) {
  document.addEventListener("server", (event) => {
    const there = /** @type {CustomEvent} */ (event).detail;
    if (there) banners.querySelector('[data-banner="gone"]')?.remove();
    else if (!banners.querySelector('[data-banner="gone"]')) {
      tell(banners, "gone", "The workbench does not answer.",
        "Start it again with privopt open, and use the address that it prints. What you see is what it last said.", "bad");
    }
  });
}

function keepLooking(session) {
  const look = () => {
    if (document.visibilityState === "visible") session.refresh().catch(() => {}); // the banner says it
  };
  setInterval(look, POLL);
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pageshow", (event) => { if (event.persisted) look(); });
}
