/** How far the design is, Stop, and what went wrong with what to do. */
import { problemBox } from "/static/api.js";
import { fill, h, set } from "/static/dom.js";
import { publishes } from "/static/publishing.js";

const STAGES = {
  trial: "Finding a first answer", worth: "Simulating releases", candidates: "Comparing what to measure", front: "Trying other values of ε",
};

/**
 * Keep the line of progress and the box of failures in step with the run.
 * @param {import("/static/run.js").Run} run
 * @param {{line: HTMLElement, failure: HTMLElement, computing: HTMLElement}} places
 */
export function followProgress(run, { line, failure, computing }) {
  const bar = h("progress", { "aria-label": "Progress of the design" });
  const text = h("span", { class: "stage", role: "status" });
  const stop = h("button", { type: "button", class: "small", id: "stop", onclick: () => run.stop() }, "Stop");
  const again = h("button", { type: "button", class: "small", id: "again", onclick: () => run.start() }, "Compute");
  fill(line, bar, text, stop, again);
  const draw = () => {
    const { status, session } = run;
    const { running } = run;
    const known = running && status?.total > 0 && !session.waiting;
    bar.hidden = !running;
    if (known) { bar.max = status.total; bar.value = status.done; } else bar.removeAttribute("value");
    stop.hidden = !running;
    again.hidden = running || !(status?.status === "stopped" || run.problem);
    again.textContent = run.problem ? "Try again" : "Compute";
    const words = inWords(run);
    if (text.textContent !== words) text.textContent = words;
    set(text, "data-status", running ? "running" : status?.status ?? "none");
    computing.hidden = !(run.result && !run.current && running);
    const problem = run.problem;
    if (failure.problem !== problem) {
      failure.problem = problem;
      fill(failure, problem && problemBox(problem));
    }
  };
  run.addEventListener("change", draw);
  draw();
}

function inWords(run) {
  const { status, session } = run;
  if (session.waiting) return "Waiting for your next change";
  if (session.problems.length) return "Not computed: see the problem that is shown.";
  if (!publishes(session.form)) return "Nothing is published yet: click a unit on the map, or tick a row of the table.";
  if (!status) return run.problem ? "Not computed." : "";
  if (status.status === "running") {
    const stage = status.stage ? STAGES[status.stage] ?? status.stage : "Starting";
    return status.total > 1 ? `${stage}, ${status.done} of ${status.total}` : stage;
  }
  if (status.status === "stopped") return "Stopped.";
  if (status.status === "failed") return "Failed.";
  const seconds = Number(status.seconds);
  return Number.isFinite(seconds) ? `Computed in ${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s.` : "Computed.";
}
