/** The form as a job file or as Python, on the clipboard; shown to be copied by hand where that is refused. */
import { asProblem, get, problemBox } from "/static/api.js";
import { fill, h } from "/static/dom.js";

/**
 * @param {any} session
 * @returns {HTMLElement}
 */
export function copyButtons(session) {
  const said = h("p", { class: "hint", role: "status", id: "copied" });
  const copy = (path, what) => async () => {
    try {
      await session.saved();
      const text = String(await get(path));
      await offered(text, what, said);
    } catch (error) {
      fill(said, problemBox(asProblem(error)));
    }
  };
  return h("div", { class: "field" },
    h("p", { class: "row" },
      h("button", { type: "button", id: "copy-python", onclick: copy("/api/job.py", "Python") }, "Copy as Python"),
      h("button", { type: "button", id: "copy-job", onclick: copy("/api/job.toml", "job.toml") }, "Copy as job.toml")),
    said);
}

async function offered(text, what, said) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = `${what} is on the clipboard.`;
  } catch {
    const area = h("textarea", { readonly: true, rows: 12, "aria-label": what }, text);
    fill(said, `The clipboard is not open to this page. Copy ${what} from here:`, area);
    area.select();
  }
}
