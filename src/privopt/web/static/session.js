/**
 * The job as this tab knows it: the server's last state, and a form that is ahead of it by the
 * changes not yet sent. One PUT is under way at a time. Another tab's change wins over ours: the
 * server answers 409 with its state, which this tab then shows and says so.
 */
import { get, put, asProblem } from "/static/api.js";
import { afterPause } from "/static/dom.js";

const PAUSE = 250; // milliseconds without a change before the form is sent

/**
 * Events: "form" (the form changed here), "saved" (the server has it; digest and problems are new),
 * "adopted" (another tab's form was taken over), "state" (anything of the state), "failed" (detail: a Problem).
 */
export class Session extends EventTarget {
  /** @param {any} state */
  constructor(state) {
    super();
    this.problems = [];
    this.waiting = false; // changes here that the server does not have
    this.sending = null;
    this.later = afterPause(PAUSE, () => this.send());
    this.take(state);
  }

  /** @returns {Promise<Session>} */
  static async open() {
    return new Session(await get("/api/state"));
  }

  /** Show the server's state as it is. */
  take(state) {
    this.state = state;
    this.revision = state.revision;
    this.digest = state.digest;
    this.form = { ...state.form };
    this.problems = state.problems ?? [];
  }

  tell(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  /**
   * Change entries of the form; null or "" takes one away. It is sent after a short pause.
   * @param {Object<string, string|null>} entries
   */
  change(entries) {
    for (const [name, value] of Object.entries(entries)) {
      if (value === null || value === "") delete this.form[name];
      else this.form[name] = String(value);
    }
    this.waiting = true;
    this.tell("form");
    this.later();
  }

  /** Send what waits, and return when the server has it. */
  async saved() {
    this.later.cancel();
    if (this.waiting || this.sending) await this.send();
  }

  async send() {
    if (this.sending) {
      await this.sending;
      if (!this.waiting) return;
    }
    this.sending = this.exchange();
    try { await this.sending; } finally { this.sending = null; }
    if (this.waiting) this.later();
  }

  async exchange() {
    this.waiting = false;
    const form = { ...this.form };
    try {
      const answer = await put("/api/form", { revision: this.revision, form });
      this.revision = answer.revision;
      this.digest = answer.digest;
      this.problems = answer.problems ?? [];
      this.state = { ...this.state, ...answer, form };
      this.tell("saved");
      this.tell("state");
    } catch (error) {
      const problem = asProblem(error);
      if (problem.status === 409 && problem.body?.state) this.adopt(problem.body.state);
      else {
        if (problem.gone) this.waiting = true; // kept: it is sent with the next change
        this.tell("failed", problem);
      }
    }
  }

  adopt(state) {
    this.later.cancel();
    this.waiting = false;
    this.take(state);
    this.tell("adopted");
    this.tell("state");
  }

  /** Read the state again: another tab may have changed the form, a release the budget. */
  async refresh() {
    const state = await get("/api/state");
    if (this.waiting || this.sending) return;
    if (state.revision !== this.revision) this.adopt(state);
    else {
      this.state = state;
      this.tell("state");
    }
  }
}
