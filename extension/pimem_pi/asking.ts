/** Asking the runner on behalf of one session, and what its answers leave for later. */
import * as host from "@earendil-works/pi-coding-agent";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { fileURLToPath } from "node:url";
import { askPerson, perform, show, type Scope } from "./actions.ts";
import type { Description, EventSpec } from "./document.ts";
import { payloadOf, sessionOf } from "./fields.ts";
import { attempt, type Context, type Loose } from "./host.ts";
import { Runner } from "./runner.ts";
import { heldFor, type Held, type Shared } from "./shared.ts";
import type { Action, Answer, Session } from "./wire.ts";

export const FIRST_PROMPT_MS = 2_000;
export const DEFAULT_MS = 250;
const SHUTDOWN_MS = 1_000;
const AFTER_DEADLINE = new Set(["notify", "status", "append_entry"]);
/** The extension's own file, as pi names it in the source of tools and commands. */
export const SELF = fileURLToPath(new URL("./index.ts", import.meta.url));

/** How long an answer is waited for, and what cancels it. */
export interface Limit {
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Takes an answer that came after its deadline, instead of what may always be done with one. */
  late?: (answer: Answer) => void;
}

export class Asking implements Scope {
  /** False once the session is over: what comes later must not touch pi any more. */
  alive = true;
  session: Session | undefined;
  /** What pimem wants to know of, by the event's name. */
  readonly events = new Map<string, EventSpec>();
  /** Messages that came at another time than a prompt and wait for a request to the model. */
  readonly waiting: Loose[] = [];
  private readonly questions = new Set<string>();

  constructor(
    readonly pi: ExtensionAPI,
    readonly shared: Shared,
    readonly command: string[],
    private readonly learn: () => void,
  ) {}

  get runner(): Runner {
    return (this.shared.runner ??= new Runner(this.command, (result) => {
      this.shared.told = result as Description;
    }));
  }

  current(ctx: Context): Session {
    const version = (host as { VERSION?: string }).VERSION ?? null;
    this.session = sessionOf(ctx, version, this.shared.seen);
    return this.session;
  }

  held(ctx: Context): Held {
    return heldFor(this.shared, ctx.sessionManager.getSessionId());
  }

  /** Ask, and take from an answer that came too late what can still be of use. */
  async ask(
    event: string,
    payload: Loose,
    ctx: Context,
    limit: Limit,
  ): Promise<Answer | undefined> {
    const session = this.current(ctx);
    const late = (answer: Answer) => {
      if (!this.alive) return;
      this.keep(session.id, answer);
      if (limit.late) return limit.late(answer);
      const actions = answer.actions.filter((action) => AFTER_DEADLINE.has(action.do));
      void guarded(() => perform(actions, ctx, this));
    };
    const answer = await this.runner.ask({ event, session, payload, ...limit, late });
    if (answer && this.alive) this.keep(session.id, answer);
    this.learn();
    this.tell(ctx);
    return answer;
  }

  /** Send one of pi's events. */
  forward(name: string, event: Loose, ctx: Context): Promise<Answer | undefined> {
    const spec = this.events.get(name);
    const { keep } = this.held(ctx);
    const payload = payloadOf(spec?.fields ?? [], event, ctx, this.pi, keep, SELF);
    const usual =
      name === "session_shutdown" ? SHUTDOWN_MS : spec?.awaited ? DEFAULT_MS : undefined;
    let deadlineMs = spec?.deadline_ms ?? usual;
    if (name === "before_agent_start" && !this.shared.prompted) {
      this.shared.prompted = true;
      deadlineMs = Math.max(FIRST_PROMPT_MS, deadlineMs ?? 0);
    }
    const signal = event.signal instanceof AbortSignal ? event.signal : undefined;
    return this.ask(name, payload, ctx, { deadlineMs, signal });
  }

  /** The computed fields of a tool call or a command. */
  computed(name: string, ctx: Context): Loose {
    const fields = (this.events.get(name)?.fields ?? []).filter((field) => field.startsWith("@"));
    return payloadOf(fields, {}, ctx, this.pi, this.held(ctx).keep, SELF);
  }

  /** One notice for one pi, whatever goes wrong how often. */
  tell(ctx: Context): void {
    const { runner } = this.shared;
    if (!runner?.trouble || !this.alive) return;
    if (!this.shared.noticed) {
      this.shared.noticed = true;
      const message =
        `pimem: no memory for the moment (${runner.trouble}). pi goes on without it; ` +
        "`pimem pi status` says what to do.";
      attempt(() => show(ctx, message, "warning"));
    }
    runner.trouble = undefined;
  }

  wait(message: Loose): void {
    this.waiting.push(message);
  }

  answered(key: string, value: boolean | null, ctx: Context): Promise<void> {
    return this.ask("answer", { key, value }, ctx, {}).then(
      (answer) => answer && perform(answer.actions, ctx, this),
    );
  }

  confirm(action: Action, ctx: Context): Promise<void> {
    return askPerson(action, ctx, this, this.questions);
  }

  private keep(session: string, answer: Answer): void {
    if (typeof answer.keep !== "object" || answer.keep === null) return;
    Object.assign(heldFor(this.shared, session).keep, answer.keep);
  }
}

/** Nothing that fails in here may reach pi: an error in `tool_call` would block the tool. */
export async function guarded(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
