/** Slash commands: what pi registers, and what happens when the person types one. */
import { perform, show } from "./actions.ts";
import { FIRST_PROMPT_MS, guarded, type Asking } from "./asking.ts";
import type { CommandSpec } from "./document.ts";
import { modeOf, type Context, type Loose } from "./host.ts";
import type { Answer } from "./wire.ts";

const START_WAIT_MS = 2_000;
const COMPLETE_MS = 250;
/** How long the person waits for a command's answer before pi takes input again. */
const PATIENCE_MS = 2_000;

export class Commands {
  private readonly names = new Set<string>();

  constructor(
    private readonly asking: Asking,
    private readonly learn: () => boolean,
  ) {}

  /** Register a command unless it is `passive` or known. */
  offer(spec: CommandSpec, passive: boolean): void {
    if (this.names.has(spec.name) || passive) return;
    this.names.add(spec.name);
    this.asking.pi.registerCommand(spec.name, {
      description: spec.description,
      getArgumentCompletions: (prefix) => this.complete(spec.name, prefix),
      handler: (args, ctx) => guarded(() => this.run(spec.name, args, ctx)) as Promise<void>,
    });
  }

  /** A command that only the live description has, typed before that came. */
  async input(event: Loose, ctx: Context): Promise<unknown> {
    const text = String(event.text ?? "");
    if (this.learn() || event.source === "extension" || !text.startsWith("/")) return undefined;
    return guarded(async () => {
      const { asking } = this;
      const name = text.slice(1).split(" ", 1)[0]!;
      if (asking.pi.getCommands().some((command) => command.name === name)) return undefined;
      const { runner } = asking;
      if (!runner.hopeful || !(await runner.ready(asking.current(ctx), START_WAIT_MS)))
        return undefined;
      this.learn();
      if (!this.names.has(name)) return undefined;
      await this.run(name, text.slice(name.length + 2), ctx);
      return { action: "handled" };
    });
  }

  private async run(name: string, args: string, ctx: Context): Promise<void> {
    const { asking } = this;
    if (!(await asking.runner.ready(asking.current(ctx), START_WAIT_MS))) {
      asking.shared.noticed = true;
      const why = asking.shared.runner?.trouble ?? "it does not answer";
      show(ctx, `pimem is not running: ${why}. See: pimem pi status`, "error");
      return;
    }
    const payload = { name, args, ...asking.computed("command", ctx) };
    const lasting = ["tui", "rpc"].includes(modeOf(ctx));
    const life = asking.runner.alive(asking.current(ctx), PATIENCE_MS);
    // pi takes no input while a command runs; what takes longer is answered when it is done.
    const control = new AbortController();
    ctx.signal?.addEventListener("abort", () => control.abort(), { once: true });
    const limit = {
      signal: control.signal,
      deadlineMs: lasting ? PATIENCE_MS : undefined,
      late: (late: Answer) => void guarded(() => this.finish(name, late, ctx)),
    };
    const asked = asking.ask("command", payload, ctx, limit);
    if (!(await life)) {
      control.abort();
      show(ctx, `/${name}: pimem does not answer, so nothing was done. See: pimem pi status`, "error");
      return;
    }
    const answer = await asked;
    if (!asking.alive) return;
    if (!answer && !asking.runner.running) {
      show(ctx, `/${name}: pimem ended before it answered.`, "error");
    } else if (!answer && !ctx.signal?.aborted) {
      show(ctx, `/${name}: pimem is still at it; the answer follows.`, "info");
    }
    await this.finish(name, answer, ctx);
    const actions = answer?.actions ?? [];
    if (!lasting && actions.some((action) => action.do === "send_user_message")) {
      // pi -p ends with the command unless the run that it began is waited for.
      const end = Date.now() + FIRST_PROMPT_MS + 1_000;
      while (ctx.isIdle() && Date.now() < end) await new Promise((next) => setTimeout(next, 10));
      await ctx.waitForIdle?.();
    }
  }

  private async finish(name: string, answer: Answer | undefined, ctx: Context): Promise<void> {
    if (!this.asking.alive || !answer) return;
    if (answer.error) show(ctx, `/${name}: ${answer.error.message}`, "error");
    await perform(answer.actions, ctx, this.asking, undefined, true);
  }

  private async complete(name: string, prefix: string) {
    const { runner } = this.asking.shared;
    const { session } = this.asking;
    if (!session || !this.asking.alive || !runner) return null;
    const question = { event: "complete", session, payload: { name, prefix } };
    const answer = await runner.ask({ ...question, deadlineMs: COMPLETE_MS });
    const items = (answer?.result as { items?: unknown } | undefined)?.items;
    if (!Array.isArray(items)) return null;
    return items.map((item: unknown) =>
      typeof item === "string"
        ? { value: item, label: item }
        : (item as { value: string; label: string }),
    );
  }
}
