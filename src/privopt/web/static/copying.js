/** The form as a job file or as Python, on the clipboard; shown to be copied by hand where that is refused. */
import { asProblem, get, problemBox } from "/static/api.js";
import { fill, h } from "/static/dom.js";

/**
 * @param {any} session
 * @returns {HTMLElement}
 */
export function copyButtons(session) {
  const why = h("p", { class: "hint", id: "copy-why" });
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
  const buttons = [
    h("button", { type: "button", id: "copy-python", "aria-describedby": "copy-why", onclick: copy("/api/job.py", "Python") }, "Copy as Python"),
    h("button", { type: "button", id: "copy-job", "aria-describedby": "copy-why", onclick: copy("/api/job.toml", "job.toml") }, "Copy as job.toml"),
  ];
  const judge = () => {
    const [first] = session.problems;
    for (const button of buttons) button.disabled = Boolean(first);
    why.textContent = first ? `Not to be copied as it is: ${first.got}` : "";
  };
  session.addEventListener("state", judge);
  judge();
  return h("div", { class: "field" }, h("p", { class: "row" }, ...buttons), why, said);
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
