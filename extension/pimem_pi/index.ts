/**
 * The shim between pi and pimem. It holds no rule of any memory system: it registers what pimem
 * described (document.ts says where that is), forwards the event fields that pimem named, and
 * carries out the actions that come back. Whatever happens to pimem, pi goes on.
 */
import * as host from "@earendil-works/pi-coding-agent";
import type { AgentToolResult, ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { fileURLToPath } from "node:url";
import { askPerson, blocks, perform, sections, show, type Scope } from "./actions.ts";
import { list, stored } from "./document.ts";
import type { Description, EventSpec, Stored, ToolSpec } from "./document.ts";
import { attempt, edited, enqueued, modeOf, occupied, payloadOf, sessionOf, settled } from "./fields.ts";
import type { Context } from "./fields.ts";
import { paths, queued } from "./queue.ts";
import { Runner, type Action, type Answer, type Session } from "./runner.ts";
import { heldFor, sharedState, type Shared } from "./shared.ts";

type Loose = Record<string, unknown>;
type Handler = (event: Loose, ctx: Context) => unknown;

const FIRST_PROMPT_MS = 2_000;
const COMMAND_WAIT_MS = 2_000;
const DEFAULT_MS = 250;
const COMPLETE_MS = 250;
const SHUTDOWN_MS = 1_000;
/** Events that are not pi's, or have a handler of their own. */
const OURS = new Set(
  ["describe", "tool", "command", "complete", "cancel", "answer"].concat([
    "session_start",
    "session_shutdown",
    "before_agent_start",
  ]),
);
const AFTER_DEADLINE = new Set(["notify", "status", "append_entry"]);
const SELF = fileURLToPath(import.meta.url);

export default function pimem(pi: ExtensionAPI): void {
  const shared = sharedState();
  if (shared.owner && shared.owner !== SELF) return; // a second copy of the package
  shared.owner = SELF;
  new Shim(pi, shared, stored()).register();
}

class Shim implements Scope {
  /** False once the session is over: what comes later must not touch pi any more. */
  alive = true;
  readonly command: string[];

  private readonly on: (name: string, handler: Handler) => void;
  private readonly events = new Map<string, EventSpec>();
  private readonly tools = new Map<string, ToolSpec>();
  private readonly commands = new Set<string>();
  private readonly asking = new Set<string>();
  private starters = 0;
  private offers: Description = {};
  private begun = false;
  /** Messages for the prompt that is about to be sent. */
  private messages: Loose[] = [];
  /** Messages that came at another time and wait for a request to the model. */
  private readonly waiting: Loose[] = [];
  private session: Session | undefined;
  private told: Description | undefined;

  constructor(
    readonly pi: ExtensionAPI,
    private readonly shared: Shared,
    private readonly start: Stored,
  ) {
    this.command = start.command;
    this.on = (pi.on as unknown as (name: string, handler: Handler) => void).bind(pi);
  }

  register(): void {
    this.on("session_start", (event, ctx) => this.sessionStart(event, ctx));
    this.on("session_shutdown", (event, ctx) => this.sessionShutdown(event, ctx));
    this.on("input", (event, ctx) => this.input(event, ctx));
    this.on("agent_start", () => this.deliver());
    this.add(this.start.describe);
    this.learn();
  }

  /** Take in the live description, once it is there. */
  private learn(): void {
    if (this.shared.told === this.told || !this.shared.told || !this.alive) return;
    this.told = this.shared.told;
    this.add(this.told);
  }

  /** Register what a description has and pi does not know of yet; fields and limits are replaced. */
  private add(describe: Description): void {
    for (const spec of list(describe.events)) {
      const known = this.events.has(spec.name);
      this.events.set(spec.name, spec);
      if (known || OURS.has(spec.name)) continue;
      this.on(spec.name, (event, ctx) => this.guarded(() => this.event(spec.name, event, ctx)));
    }
    // pi takes one message from a handler, so there is one handler for each system.
    const wanted = this.events.has("before_agent_start") ? describe.systems?.length || 1 : 0;
    for (; this.starters < wanted; this.starters++) {
      const first = this.starters === 0;
      this.on("before_agent_start", (event, ctx) =>
        first ? this.guarded(() => this.beforeAgentStart(event, ctx)) : this.nextMessage(),
      );
    }
    this.offers = describe;
    if (this.begun) this.offer();
  }

  /**
   * Register tools and commands, unless another extension has one of a system's names: pi would
   * hide one of the two. Only when a session starts are all other extensions there to be seen.
   */
  private offer(): void {
    const tools = list(this.offers.tools);
    const commands = list(this.offers.commands);
    const taken = occupied(this.pi, SELF);
    const shadowed = [...tools, ...commands].filter((spec) => taken.has(spec.name));
    const passive = new Set(shadowed.map((spec) => spec.system));
    for (const spec of tools) {
      const known = this.tools.has(spec.name);
      if (!known && passive.has(spec.system)) continue;
      this.tools.set(spec.name, spec);
      if (!known) attempt(() => this.registerTool(spec));
    }
    for (const spec of commands) {
      if (this.commands.has(spec.name) || passive.has(spec.system)) continue;
      this.commands.add(spec.name);
      this.pi.registerCommand(spec.name, {
        description: spec.description,
        getArgumentCompletions: (prefix) => this.complete(spec.name, prefix),
        handler: (args, ctx) => this.guarded(() => this.run(spec.name, args, ctx)) as Promise<void>,
      });
    }
  }

  // Asking the runner

  private get runner(): Runner {
    return (this.shared.runner ??= new Runner(this.command, (result) => {
      this.shared.told = result as Description;
    }));
  }

  private current(ctx: Context): Session {
    const version = (host as { VERSION?: string }).VERSION ?? null;
    this.session = sessionOf(ctx, version, this.shared.seen);
    return this.session;
  }

  /** Ask, and take from an answer that came too late what can still be of use. */
  private async ask(
    event: string,
    payload: Loose,
    ctx: Context,
    limit: { deadlineMs?: number; signal?: AbortSignal },
  ): Promise<Answer | undefined> {
    const session = this.current(ctx);
    const late = (answer: Answer) => {
      if (!this.alive) return;
      this.keep(session.id, answer);
      const actions = answer.actions.filter((action) => AFTER_DEADLINE.has(action.do));
      void this.guarded(() => perform(actions, ctx, this));
    };
    const answer = await this.runner.ask({ event, session, payload, ...limit, late });
    if (answer && this.alive) this.keep(session.id, answer);
    this.learn();
    this.tell(ctx);
    return answer;
  }

  private keep(session: string, answer: Answer): void {
    if (typeof answer.keep !== "object" || answer.keep === null) return;
    Object.assign(heldFor(this.shared, session).keep, answer.keep);
  }

  /** One notice for one pi, whatever goes wrong how often. */
  private tell(ctx: Context): void {
    const { runner } = this.shared;
    if (!runner?.trouble || !this.alive) return;
    if (!this.shared.noticed) {
      this.shared.noticed = true;
      const message = `pimem: no memory for the moment (${runner.trouble}). pi goes on without it.`;
      attempt(() => show(ctx, message, "warning"));
    }
    runner.trouble = undefined;
  }

  /** Nothing that fails in here may reach pi: an error in `tool_call` would block the tool. */
  private async guarded(work: () => unknown): Promise<unknown> {
    try {
      return await work();
    } catch {
      return undefined;
    }
  }

  answered(key: string, value: boolean | null, ctx: Context): Promise<void> {
    return this.ask("answer", { key, value }, ctx, {}).then(
      (answer) => answer && perform(answer.actions, ctx, this),
    );
  }

  confirm(action: Action, ctx: Context): Promise<void> {
    return askPerson(action, ctx, this, this.asking);
  }

  // Events

  private forward(name: string, event: Loose, ctx: Context): Promise<Answer | undefined> {
    const spec = this.events.get(name);
    const { keep } = heldFor(this.shared, ctx.sessionManager.getSessionId());
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

  private async event(name: string, event: Loose, ctx: Context): Promise<unknown> {
    if (this.events.get(name)?.fields?.includes("@entry_ids")) await settled(event, ctx);
    const answer = this.forward(name, event, ctx);
    if (!this.events.get(name)?.awaited) {
      void this.guarded(async () => perform((await answer)?.actions ?? [], ctx, this));
      return undefined;
    }
    const actions = (await answer)?.actions ?? [];
    if (!this.alive) return undefined;
    await perform(actions, ctx, this);
    // pi looks for messages that wait as soon as this returns, and takes a moment to queue one.
    if (actions.some((action) => action.do === "send_user_message")) await enqueued(ctx);
    const last = (kind: string) => actions.findLast((action) => action.do === kind);
    if (name === "context") {
      const edits = actions.filter((action) => action.do === "context").flatMap((a) => a.edits);
      const messages = edited(edits, event, ctx);
      return messages && { messages };
    }
    if (name === "session_before_compact") {
      const found: Partial<Action> = last("compaction") ?? {};
      const { summary, firstKeptEntryId, tokensBefore, details } = found;
      const complete = typeof summary === "string" && typeof firstKeptEntryId === "string";
      return complete
        ? { compaction: { summary, firstKeptEntryId, tokensBefore, details } }
        : undefined;
    }
    if (name === "tool_call") {
      const block = last("block");
      return block && { block: true, reason: String(block.reason ?? "") };
    }
    return undefined;
  }

  private async sessionStart(event: Loose, ctx: Context): Promise<void> {
    await this.guarded(async () => {
      this.begun = true;
      this.offer();
      const before = this.session?.id;
      const session = this.current(ctx);
      if (session.id === before) return; // pi 0.74 says so twice
      this.runner.start(session);
      // Nothing is known from before: see whether pimem tells in time for the first request.
      if (this.events.size === 0 && (await this.runner.ready(session, DEFAULT_MS))) this.learn();
      if (this.events.has("session_start")) await this.event("session_start", event, ctx);
      else this.tell(ctx);
    });
  }

  private async sessionShutdown(event: Loose, ctx: Context): Promise<void> {
    await this.guarded(async () => {
      if (!this.shared.runner || !this.events.has("session_shutdown")) return;
      const answer = await this.forward("session_shutdown", event, ctx);
      await perform(answer?.actions ?? [], ctx, this);
    });
    this.alive = false;
    this.shared.owner = undefined;
    if (event.reason && event.reason !== "quit" && event.reason !== "reload") return;
    const runner = this.shared.runner;
    this.shared.runner = undefined;
    this.shared.told = undefined;
    this.shared.prompted = false; // the next runner has to start as well
    await runner?.stop();
  }

  private async beforeAgentStart(event: Loose, ctx: Context): Promise<unknown> {
    const options = event.systemPromptOptions as { sections?: Loose } | undefined;
    const prompt = options?.sections;
    this.shared.seen.sections ||= prompt !== undefined;
    this.shared.seen.message_type ||= event.messageType !== undefined;
    this.messages = this.waiting.splice(0);
    const answer = await this.forward("before_agent_start", event, ctx);
    if (!this.alive) return undefined;
    const held = heldFor(this.shared, ctx.sessionManager.getSessionId());
    const actions = answer?.actions ?? [];
    // Without an answer the same bytes as last time, so that the prompt's prefix does not change.
    if (answer && !answer.error) held.sections = sections(actions);
    await perform(actions, ctx, this, (message) => this.messages.push(message));
    for (const surplus of this.messages.splice(this.starters)) {
      attempt(() => this.pi.sendMessage(surplus as never, { deliverAs: "nextTurn" }));
    }
    let appended = "";
    for (const [name, text] of held.sections) {
      if (prompt) prompt[name] = text;
      else appended += `\n\n<${name}>\n${text}\n</${name}>`;
    }
    for (const action of actions) {
      if (action.do === "append_prompt" && action.text) appended += `\n\n${String(action.text)}`;
    }
    const systemPrompt = appended && `${String(event.systemPrompt)}${appended}`;
    const message = this.messages.shift();
    if (!systemPrompt && !message) return undefined;
    return { ...(systemPrompt && { systemPrompt }), ...(message && { message }) };
  }

  wait(message: Loose): void {
    this.waiting.push(message);
  }

  /**
   * A run that goes on after a compaction has no before_agent_start. What is steered in while it
   * starts is read before its first request, after the message that began it.
   */
  private deliver(): void {
    for (const message of this.waiting.splice(0)) {
      attempt(() => this.pi.sendMessage(message as never, { deliverAs: "steer" }));
    }
  }

  private nextMessage(): unknown {
    const message = this.messages.shift();
    return message && { message };
  }

  /** A command that only the live description has, typed before that came. */
  private async input(event: Loose, ctx: Context): Promise<unknown> {
    this.learn();
    const text = String(event.text ?? "");
    if (this.told || event.source === "extension" || !text.startsWith("/")) return undefined;
    return this.guarded(async () => {
      const name = text.slice(1).split(" ", 1)[0]!;
      if (this.pi.getCommands().some((command) => command.name === name)) return undefined;
      const { runner } = this;
      if (!runner.hopeful || !(await runner.ready(this.current(ctx), COMMAND_WAIT_MS)))
        return undefined;
      this.learn();
      if (!this.commands.has(name)) return undefined;
      await this.run(name, text.slice(name.length + 2), ctx);
      return { action: "handled" };
    });
  }

  // Commands and tools

  private async run(name: string, args: string, ctx: Context): Promise<void> {
    if (!(await this.runner.ready(this.current(ctx), COMMAND_WAIT_MS))) {
      this.shared.noticed = true;
      const why = this.shared.runner?.trouble ?? "it does not answer";
      show(ctx, `pimem is not running: ${why}. See: pimem pi status`, "error");
      return;
    }
    const payload = { name, args, ...this.computed("command", ctx) };
    const answer = await this.ask("command", payload, ctx, { signal: ctx.signal });
    if (!this.alive) return;
    if (!answer) show(ctx, `/${name}: pimem ended before it answered.`, "error");
    if (answer?.error) show(ctx, `/${name}: ${answer.error.message}`, "error");
    const actions = answer?.actions ?? [];
    await perform(actions, ctx, this, undefined, true);
    const lasting = ["tui", "rpc"].includes(modeOf(ctx));
    if (!lasting && actions.some((action) => action.do === "send_user_message")) {
      // pi -p ends with the command unless the run that it began is waited for.
      const end = Date.now() + FIRST_PROMPT_MS + 1_000;
      while (ctx.isIdle() && Date.now() < end) await new Promise((next) => setTimeout(next, 10));
      await ctx.waitForIdle?.();
    }
  }

  private computed(name: string, ctx: Context): Loose {
    const fields = this.events.get(name)?.fields ?? [];
    const { keep } = heldFor(this.shared, ctx.sessionManager.getSessionId());
    return payloadOf(
      fields.filter((f) => f.startsWith("@")),
      {},
      ctx,
      this.pi,
      keep,
      SELF,
    );
  }

  private async complete(name: string, prefix: string) {
    const { runner } = this.shared;
    if (!this.session || !this.alive || !runner) return null;
    const question = { event: "complete", session: this.session, payload: { name, prefix } };
    const answer = await runner.ask({ ...question, deadlineMs: COMPLETE_MS });
    const items = (answer?.result as { items?: unknown } | undefined)?.items;
    if (!Array.isArray(items)) return null;
    return items.map((item: unknown) =>
      typeof item === "string"
        ? { value: item, label: item }
        : (item as { value: string; label: string }),
    );
  }

  private registerTool(spec: ToolSpec): void {
    this.pi.registerTool({
      name: spec.name,
      label: spec.label ?? spec.name,
      description: spec.description,
      parameters: spec.parameters as never, // plain JSON Schema, which pi takes as well
      ...(spec.promptSnippet && { promptSnippet: spec.promptSnippet }),
      ...(spec.promptGuidelines && { promptGuidelines: spec.promptGuidelines }),
      execute: (toolCallId, params, signal, _update, ctx) => {
        const queue = paths(this.tools.get(spec.name)?.queue, params as Loose);
        return queued(queue, () => this.call(spec.name, toolCallId, params, signal, ctx));
      },
    });
  }

  /** A failure is thrown: every version of pi hands its text to the model. */
  private async call(
    name: string,
    toolCallId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    ctx: Context,
  ): Promise<AgentToolResult<unknown>> {
    if (!(await this.runner.ready(this.current(ctx), COMMAND_WAIT_MS))) {
      throw new Error(
        `pimem is not running, nothing was done (${this.runner.trouble ?? "no answer"}).`,
      );
    }
    const payload = { name, params, toolCallId, ...this.computed("tool", ctx) };
    const answer = await this.ask("tool", payload, ctx, { signal });
    if (!answer)
      throw new Error(signal?.aborted ? "Cancelled." : "pimem ended before it answered.");
    if (answer.error) throw new Error(answer.error.message);
    if (this.alive) await this.guarded(() => perform(answer.actions, ctx, this));
    const result = answer.actions.findLast((action) => action.do === "tool_result");
    if (!result) throw new Error("pimem gave no result.");
    const content = blocks(result.content);
    if (result.isError) throw new Error(content.map((block) => block.text).join("\n"));
    return { content, details: result.details ?? {} };
  }
}
