/**
 * The shim between pi and pimem. It holds no rule of any memory system: it registers what pimem
 * described (document.ts says where that is), forwards the event fields that pimem named, and
 * carries out the actions that come back. Whatever happens to pimem, pi goes on.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { perform } from "./actions.ts";
import { Asking, DEFAULT_MS, FIRST_PROMPT_MS, guarded, SELF } from "./asking.ts";
import { Commands } from "./commands.ts";
import { list, stored, type Description, type Stored } from "./document.ts";
import { occupied } from "./fields.ts";
import type { Context, Loose } from "./host.ts";
import { edited, enqueued, settled } from "./messages.ts";
import { Prompts } from "./prompts.ts";
import { sharedState, type Shared } from "./shared.ts";
import { Tools } from "./tools.ts";
import type { Action } from "./wire.ts";

type Handler = (event: Loose, ctx: Context) => unknown;

/** Events that are not pi's, or have a handler of their own. */
const OURS = new Set(
  ["describe", "tool", "command", "complete", "cancel", "answer"].concat([
    "session_start",
    "session_shutdown",
    "before_agent_start",
  ]),
);

export default function pimem(pi: ExtensionAPI): void {
  if (isOff()) return;
  const shared = sharedState();
  if (shared.owner && shared.owner !== SELF) return; // a second copy of the package
  shared.owner = SELF;
  new Shim(pi, shared, stored()).register();
}

/** Whether this very run is to go without memory; pimem reads PIMEM_OFF in the same way. */
function isOff(): boolean {
  const value = (process.env.PIMEM_OFF ?? "").trim().toLowerCase();
  return !["", "0", "no", "off", "false"].includes(value);
}

class Shim {
  private readonly on: (name: string, handler: Handler) => void;
  private readonly asking: Asking;
  private readonly tools: Tools;
  private readonly commands: Commands;
  private readonly prompts: Prompts;
  private offers: Description = {};
  private begun = false;
  /** A session's start that pimem could not be told of, since nothing was known of it. */
  private untold: Loose | undefined;
  private told: Description | undefined;

  constructor(
    private readonly pi: ExtensionAPI,
    private readonly shared: Shared,
    private readonly start: Stored,
  ) {
    this.on = (pi.on as unknown as (name: string, handler: Handler) => void).bind(pi);
    this.asking = new Asking(pi, shared, start.command, () => this.learn());
    this.tools = new Tools(this.asking);
    this.commands = new Commands(this.asking, () => this.learn());
    this.prompts = new Prompts(this.asking, (handler) => this.on("before_agent_start", handler));
  }

  register(): void {
    this.on("session_start", (event, ctx) => this.sessionStart(event, ctx));
    this.on("session_shutdown", (event, ctx) => this.sessionShutdown(event, ctx));
    this.on("input", async (event, ctx) => {
      await guarded(() => this.catchUp(ctx));
      return this.commands.input(event, ctx);
    });
    this.on("agent_start", () => this.prompts.deliver());
    this.add(this.start.describe);
    this.learn();
  }

  /** Take in the live description, once it is there; whether it was. */
  private learn(): boolean {
    if (this.shared.told && this.shared.told !== this.told && this.asking.alive) {
      this.told = this.shared.told;
      this.add(this.told);
    }
    return this.told !== undefined;
  }

  /** Register what a description has and pi does not know of yet; fields and limits are replaced. */
  private add(describe: Description): void {
    const { events } = this.asking;
    for (const spec of list(describe.events)) {
      const known = events.has(spec.name);
      events.set(spec.name, spec);
      if (known || OURS.has(spec.name)) continue;
      this.on(spec.name, (event, ctx) => guarded(() => this.event(spec.name, event, ctx)));
    }
    if (events.has("before_agent_start")) this.prompts.listen(describe.systems?.length || 1);
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
    for (const spec of tools) this.tools.offer(spec, passive.has(spec.system));
    for (const spec of commands) this.commands.offer(spec, passive.has(spec.system));
  }

  private async event(name: string, event: Loose, ctx: Context): Promise<unknown> {
    const { asking } = this;
    const spec = asking.events.get(name);
    if (spec?.fields?.includes("@entry_ids")) await settled(event, ctx);
    const answer = asking.forward(name, event, ctx);
    if (!spec?.awaited) {
      void guarded(async () => perform((await answer)?.actions ?? [], ctx, asking));
      return undefined;
    }
    const actions = (await answer)?.actions ?? [];
    if (!asking.alive) return undefined;
    await perform(actions, ctx, asking);
    // pi looks for messages that wait as soon as this returns, and takes a moment to queue one.
    if (actions.some((action) => action.do === "send_user_message")) await enqueued(ctx);
    return resultOf(name, actions, event, ctx);
  }

  private async sessionStart(event: Loose, ctx: Context): Promise<void> {
    const { asking } = this;
    await guarded(async () => {
      this.begun = true;
      this.offer();
      const before = asking.session?.id;
      const session = asking.current(ctx);
      if (session.id === before) return; // pi 0.74 says so twice
      asking.runner.start(session);
      // Nothing is known from before: see whether pimem tells in time for the first request.
      if (asking.events.size === 0 && (await asking.runner.ready(session, DEFAULT_MS)))
        this.learn();
      if (asking.events.size === 0) this.untold = event;
      else if (asking.events.has("session_start")) await this.event("session_start", event, ctx);
      else asking.tell(ctx);
    });
  }

  /** The first prompt waits for what nobody knew when the session began. */
  private async catchUp(ctx: Context): Promise<void> {
    const { asking, untold } = this;
    if (!untold) return;
    this.untold = undefined;
    const { runner } = asking;
    if (await runner.ready(asking.current(ctx), FIRST_PROMPT_MS)) this.learn();
    else runner.trouble ??= "it does not answer";
    if (asking.events.has("session_start")) await this.event("session_start", untold, ctx);
    else asking.tell(ctx);
  }

  private async sessionShutdown(event: Loose, ctx: Context): Promise<void> {
    const { asking, shared } = this;
    await guarded(async () => {
      if (!shared.runner || !asking.events.has("session_shutdown")) return;
      const answer = await asking.forward("session_shutdown", event, ctx);
      await perform(answer?.actions ?? [], ctx, asking);
    });
    asking.alive = false;
    shared.owner = undefined;
    if (event.reason && event.reason !== "quit" && event.reason !== "reload") return;
    const runner = shared.runner;
    shared.runner = undefined;
    shared.told = undefined;
    shared.prompted = false; // the next runner has to start as well
    await runner?.stop();
  }
}

/** What an event's handler gives back to pi. */
function resultOf(name: string, actions: Action[], event: Loose, ctx: Context): unknown {
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
