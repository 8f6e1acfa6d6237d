/**
 * The served runner: one `pimem hook serve` per pi process, JSON lines both ways.
 *
 * Nothing here throws at its caller and nothing waits longer than it was told to: whatever goes
 * wrong with the runner is an answer of `undefined`, a request id in `missed`, and one `trouble`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { parse } from "node:path";
import { plain, pythonless, type Answer, type Action, type Question, type Session } from "./wire.ts";

interface Held {
  ref?(): void;
  unref?(): void;
}

interface Pending {
  settle: (answer: Answer | undefined) => void;
  working: boolean;
  session: string;
  missed: string[];
}

/** Requests whose answers take nothing from a session. */
const UNCOUNTED = new Set(["describe", "cancel"]);
const LONGEST_LINE = 16 * 1024 * 1024;
const LONGEST_REQUEST = 8 * 1024 * 1024;
const LATE_KEPT = 200;
const NONSENSE_ALLOWED = 8;
const SILENT_MS = 180_000;
const STEADY_MS = 30_000;
const EAGER_RESTARTS = 5;
/** Whoever is silent for so long does not only have much to do. */
const LONG_MS = 2_000;
/** How long the reason of a process that ends may take to be known. */
const WHY_MS = 150;
const AFTER_ABORT_MS = 1_000;
const DESCRIBE_MS = 10_000;

export class Runner {
  /** Why there is no memory, in words for the person; whoever shows it empties it. */
  trouble: string | undefined;

  private child: ChildProcess | undefined;
  private up = false;
  private stopped = false;
  private failures = 0;
  private startedAt = 0;
  private nextStart = 0;
  private restart: NodeJS.Timeout | undefined;
  private nonsense = 0;
  private unansweredSince = 0;
  /** True after a deadline that passed in silence, until the runner says something again. */
  private silent = false;
  private lastWords = "";
  private count = 0;
  private readonly missed = new Map<string, string[]>();
  private readonly prefix = randomBytes(4).toString("hex");
  private readonly pending = new Map<string, Pending>();
  private readonly late = new Map<string, (answer: Answer) => void>();
  private hello: Session | undefined;

  constructor(
    private readonly command: string[],
    private readonly described: (result: unknown) => void,
  ) {
    process.on("exit", this.atExit);
  }

  /** Start the process unless it runs or has to wait after a failure. */
  start(session: Session): void {
    this.hello = session;
    if (this.child || this.stopped || Date.now() < this.nextStart) return;
    this.startedAt = Date.now();
    this.unansweredSince = 0;
    this.nonsense = 0;
    this.silent = false;
    this.lastWords = "";
    let child: ChildProcess;
    try {
      // Not in the session's folder: nothing of a repository may lie on the runner's path.
      child = spawn(this.command[0]!, [...this.command.slice(1), "hook", "serve"], {
        cwd: parse(process.cwd()).root,
        env: pythonless(),
        stdio: ["pipe", "pipe", "pipe"],
      });
    } catch (error) {
      this.failed(String(error));
      return;
    }
    this.child = child;
    child.on("error", (error: NodeJS.ErrnoException) =>
      this.failed(
        error.code === "ENOENT" ? `${this.command[0]} is not there` : error.message,
        child,
      ),
    );
    // A grandchild may hold the pipes open, so the end of the process counts, not of the pipes.
    child.once("exit", (code, signal) =>
      setTimeout(() => this.failed(this.lastWords || `it ended (${signal ?? code})`, child), 20),
    );
    child.stdin!.on("error", () => {});
    child.stdout!.on("error", () => {});
    child.stderr!.on("error", () => {});
    child.stderr!.on("data", (data: Buffer) => {
      const words = data.toString("utf8").trim().split("\n").pop();
      if (words) this.lastWords = words.slice(-200);
    });
    let rest: Buffer[] = [];
    let size = 0;
    child.stdout!.on("data", (data: Buffer) => {
      if (this.child !== child) return;
      for (let end; (end = data.indexOf(10)) >= 0; data = data.subarray(end + 1)) {
        const line = Buffer.concat([...rest, data.subarray(0, end)]).toString("utf8");
        rest = [];
        size = 0;
        this.heard(line);
      }
      rest.push(data);
      size += data.length;
      if (size > LONGEST_LINE) this.kill("it sent a line without end");
    });
    this.hold();
    const greet = (answer: Answer | undefined) => {
      if (!answer || this.child !== child) return;
      this.up = true;
      if (answer.result !== undefined) this.described(answer.result);
    };
    const deadlineMs = DESCRIBE_MS;
    void this.ask({ event: "describe", session, payload: {}, deadlineMs, late: greet }).then(greet);
  }

  /** Wait until the runner has answered for the first time; false when it does not within `ms`. */
  async ready(session: Session, ms: number): Promise<boolean> {
    const end = Date.now() + ms;
    while (!this.up) {
      this.start(session);
      if (this.stopped || Math.max(Date.now(), this.nextStart) >= end) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
  }

  /** True once it runs and answers; true as well while the very first start is under way. */
  get hopeful(): boolean {
    return this.up || this.failures === 0;
  }

  get running(): boolean {
    return this.child !== undefined;
  }

  /** Send a request; `undefined` when no answer came in time or none can come. */
  ask(question: Question): Promise<Answer | undefined> {
    this.start(question.session);
    const child = this.child;
    if (child?.stdin && !child.stdin.writable) return this.ended(child);
    if (!child?.stdin || child.stdin.writableLength > LONGEST_LINE) {
      return Promise.resolve(undefined);
    }
    const id = `${this.prefix}.${++this.count}`;
    const line = this.encode(id, question);
    if (line === undefined) return Promise.resolve(undefined);
    const owner = question.session.id;
    const missed = this.lateIds(question);
    if (missed.length > 0) this.missed.delete(owner);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const onAbort = () => {
        this.send({ event: "cancel", session: question.session, payload: { request: id } });
        timer ??= setTimeout(tooLate, AFTER_ABORT_MS);
      };
      const settle = (answer: Answer | undefined) => {
        clearTimeout(timer);
        question.signal?.removeEventListener("abort", onAbort);
        this.pending.delete(id);
        this.hold();
        resolve(answer);
      };
      const tooLate = () => {
        if (!UNCOUNTED.has(question.event)) this.miss(owner, id);
        if (question.late) {
          this.late.set(id, question.late);
          if (this.late.size > LATE_KEPT) this.late.delete(this.late.keys().next().value!);
        }
        settle(undefined);
        this.noteSilence(question);
      };
      const { deadlineMs } = question;
      // Who did not answer the last time is not waited for again; the answer may come yet.
      const wait = !this.silent || question.event === "cancel";
      if (deadlineMs !== undefined && !wait) setImmediate(tooLate);
      else if (deadlineMs !== undefined) timer = setTimeout(tooLate, deadlineMs);
      const working = question.event === "tool" || question.event === "command";
      this.pending.set(id, { settle, working, session: owner, missed });
      this.hold();
      child.stdin!.write(line);
      this.unansweredSince ||= Date.now();
      if (question.signal?.aborted) onAbort();
      else question.signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Wait a moment until it is known why a process that is ending does so. */
  private async ended(child: ChildProcess): Promise<undefined> {
    const end = Date.now() + WHY_MS;
    while (this.child === child && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 5));
    return undefined;
  }

  /** End the process: first by closing its input, then less and less politely. */
  async stop(graceMs = 500): Promise<void> {
    this.stopped = true;
    clearTimeout(this.restart);
    process.off("exit", this.atExit);
    const child = this.child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const within = (ms: number) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), ms);
        void gone.then(() => (clearTimeout(timer), resolve(true)));
      });
    child.stdin!.end();
    if (child.exitCode !== null || child.signalCode !== null || (await within(graceMs))) return;
    child.kill("SIGTERM");
    if (await within(300)) return;
    child.kill("SIGKILL");
    await within(300);
  }

  private readonly atExit = () => {
    this.child?.kill("SIGTERM");
  };

  private send(message: Record<string, unknown>): void {
    const child = this.child;
    if (!child?.stdin?.writable) return;
    child.stdin.write(JSON.stringify({ id: `${this.prefix}.${++this.count}`, ...message }) + "\n");
  }

  /** One line; payload fields that would make it longer than the runner takes are left out. */
  private encode(id: string, question: Question): string | undefined {
    const { event, session } = question;
    const payload = { ...question.payload };
    const late = this.lateIds(question);
    const missed = late.length > 0 ? { missed: late } : {};
    try {
      for (;;) {
        const line = JSON.stringify({ id, event, session, ...missed, payload }, plain) + "\n";
        if (Buffer.byteLength(line) <= LONGEST_REQUEST) return line;
        const sizes = Object.entries(payload).map(
          ([name, value]) => [name, JSON.stringify(value, plain)?.length ?? 0] as const,
        );
        const largest = sizes.sort((a, b) => b[1] - a[1])[0];
        if (!largest) return undefined;
        delete payload[largest[0]];
      }
    } catch {
      return undefined; // a cycle in what another extension put into the event
    }
  }

  private heard(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
      if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw line;
    } catch {
      if (++this.nonsense >= NONSENSE_ALLOWED) this.kill("it talks nonsense");
      return;
    }
    this.nonsense = 0;
    this.unansweredSince = 0;
    this.silent = false;
    const actions: unknown[] = Array.isArray(answer.actions) ? answer.actions : [];
    answer.actions = actions.filter(
      (a): a is Action =>
        typeof a === "object" && a !== null && typeof (a as Action).do === "string",
    );
    const waiting = this.pending.get(answer.id);
    if (waiting) {
      waiting.settle(answer);
      return;
    }
    const late = this.late.get(answer.id);
    this.late.delete(answer.id);
    late?.(answer);
  }

  /**
   * After a deadline: whoever says nothing at all although it is asked may be stuck. The person is
   * told once a prompt had to go without an answer. After a while a new one may do better.
   */
  private noteSilence(question: Question): void {
    const since = this.unansweredSince;
    if (!since) return; // it has answered something meanwhile
    const isPrompt = question.event === "before_agent_start";
    const isLong = (question.deadlineMs ?? 0) >= LONG_MS;
    if (isPrompt && (isLong || this.silent))
      this.trouble = this.nonsense ? "it talks nonsense" : "it does not answer";
    // A process that is only just starting gets the first prompt's time.
    this.silent ||= this.up || isPrompt;
    const working = [...this.pending.values()].some((waiting) => waiting.working);
    if (!working && Date.now() - since > SILENT_MS) this.kill("it hangs");
  }

  /** Whether the runner says anything within `ms`; asked about nothing, it answers at once. */
  async alive(session: Session, ms: number): Promise<boolean> {
    const question = { event: "cancel", session, payload: {}, deadlineMs: ms };
    return (await this.ask(question)) !== undefined;
  }

  /** What the request has to name; the first one to a new runner is about no session yet. */
  private lateIds(question: Question): string[] {
    return UNCOUNTED.has(question.event) ? [] : (this.missed.get(question.session.id) ?? []);
  }

  /** Remember answers that did no good, for the session's next request to say so. */
  private miss(session: string, ...ids: string[]): void {
    this.missed.set(session, [...(this.missed.get(session) ?? []), ...ids].slice(-LATE_KEPT));
  }

  private kill(reason: string): void {
    const child = this.child;
    child?.kill("SIGKILL");
    this.failed(reason, child);
  }

  private failed(reason: string, child?: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.up = false;
    for (const [id, waiting] of [...this.pending]) {
      this.miss(waiting.session, ...waiting.missed, id);
      waiting.settle(undefined);
    }
    this.late.clear();
    if (this.stopped) return;
    this.trouble = reason;
    if (Date.now() - this.startedAt > STEADY_MS) this.failures = 0;
    const wait = this.failures++ ? Math.min(60_000, 500 * 2 ** this.failures) : 0;
    this.nextStart = Date.now() + wait;
    if (this.failures > EAGER_RESTARTS || !this.hello) return;
    const session = this.hello;
    clearTimeout(this.restart);
    this.restart = setTimeout(() => this.start(session), wait + 10);
    this.restart.unref();
  }

  /** The runner keeps pi alive only while an answer is awaited. */
  private hold(): void {
    const child = this.child;
    if (!child) return;
    // They are sockets, which Node.js types as plain streams.
    const pipes = [child.stdin, child.stdout, child.stderr] as unknown as Held[];
    child.unref();
    for (const pipe of pipes) pipe.unref?.();
    if (this.pending.size > 0) pipes[1]!.ref?.();
  }
}
