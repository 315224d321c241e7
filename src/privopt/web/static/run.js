/**
 * The design that the server computes for the form: started after each change, followed by polling,
 * stopped on request. A result belongs to the digest of its form; `current` says whether that is
 * the form on the screen.
 */
import { get, post, del, asProblem } from "/static/api.js";
import { publishes } from "/static/publishing.js";

const POLL = 400; // milliseconds between looks at a running design
const PATIENCE = 2000; // the same while the server does not answer

/** Events: "change" whenever `status`, `result`, `problem` or `current` may have changed. */
export class Run extends EventTarget {
  /** @param {import("/static/session.js").Session} session */
  constructor(session) {
    super();
    this.session = session;
    this.status = null; // the last answer of the server for `digest`
    this.digest = null;
    this.result = null; // the newest result, of whatever form
    this.resultOf = null; // its digest
    this.problem = null;
    this.turn = 0; // answers to older questions are dropped
    session.addEventListener("form", () => this.tell());
    session.addEventListener("saved", () => this.start());
    session.addEventListener("adopted", () => this.start());
  }

  tell() { this.dispatchEvent(new Event("change")); }

  /** Whether the result shown is that of the form on the screen. */
  get current() {
    return this.result !== null && this.resultOf === this.session.digest && !this.session.waiting;
  }

  /** Whether a design is being computed, or about to be. */
  get running() {
    return this.session.waiting || this.status?.status === "running";
  }

  /**
   * Start the design of the form, or find it if it is there already.
   * @param {{choose?: boolean}} [options] choose: also compare candidates of the instrument
   */
  async start({ choose = false } = {}) {
    const turn = ++this.turn;
    this.problem = null;
    if (this.session.problems.length || !publishes(this.session.form)) {
      this.status = null;
      this.tell();
      return;
    }
    try {
      const { revision } = this.session;
      this.digest = this.session.digest;
      this.status = { status: "running", stage: null, done: 0, total: 0 };
      this.tell();
      const answer = await post("/api/design", choose ? { revision, choose } : { revision });
      if (turn !== this.turn) return;
      this.digest = answer.digest;
      await this.follow(turn);
    } catch (error) {
      this.fail(turn, error);
    }
  }

  async follow(turn) {
    while (turn === this.turn) {
      let pause = POLL;
      try {
        const status = await get(`/api/design/${encodeURIComponent(this.digest)}`);
        if (turn !== this.turn) return;
        this.status = status;
        this.take(status.result ?? {});
        this.problem = status.status === "failed" ? status.error : null;
        this.tell();
        if (status.status !== "running") return;
      } catch (error) {
        if (turn !== this.turn) return;
        if (!asProblem(error).gone) throw error;
        pause = PATIENCE; // the banner says that the server is gone; it may come back
      }
      await new Promise((resolve) => { setTimeout(resolve, pause); });
    }
  }

  /** Parts of a result join those of the same form; those of another form give way to them. */
  take(parts) {
    if (!Object.keys(parts).length) return;
    const form = this.digest.replace(/-choose$/, "");
    this.result = form === this.resultOf ? { ...this.result, ...parts } : parts;
    this.resultOf = form;
  }

  /** Stop what is running. */
  async stop() {
    const { turn } = this;
    try {
      await del("/api/design");
    } catch (error) {
      this.fail(turn, error);
    }
  }

  fail(turn, error) {
    if (turn !== this.turn) return;
    const problem = asProblem(error);
    if (problem.status === 409) { // another tab was first: its form comes with the next look at the state
      this.session.refresh().catch(() => {});
      return;
    }
    this.status = null;
    this.problem = problem;
    this.tell();
  }
}
