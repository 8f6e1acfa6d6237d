/** Tools: what pi registers, and what happens when the model calls one. */
import type { AgentToolResult } from "@earendil-works/pi-coding-agent";
import { blocks, perform } from "./actions.ts";
import { guarded, type Asking } from "./asking.ts";
import type { ToolSpec } from "./document.ts";
import { attempt, type Context, type Loose } from "./host.ts";
import { paths, queued } from "./queue.ts";

const START_WAIT_MS = 2_000;

export class Tools {
  private readonly specs = new Map<string, ToolSpec>();

  constructor(private readonly asking: Asking) {}

  /** Register a tool, or take in what is new about one; `passive` ones are not begun with. */
  offer(spec: ToolSpec, passive: boolean): void {
    const known = this.specs.has(spec.name);
    if (!known && passive) return;
    this.specs.set(spec.name, spec);
    if (!known) attempt(() => this.register(spec));
  }

  private register(spec: ToolSpec): void {
    this.asking.pi.registerTool({
      name: spec.name,
      label: spec.label ?? spec.name,
      description: spec.description,
      parameters: spec.parameters as never, // plain JSON Schema, which pi takes as well
      ...(spec.promptSnippet && { promptSnippet: spec.promptSnippet }),
      ...(spec.promptGuidelines && { promptGuidelines: spec.promptGuidelines }),
      execute: (toolCallId, params, signal, _update, ctx) => {
        const queue = paths(this.specs.get(spec.name)?.queue, params as Loose);
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
    const { asking } = this;
    if (!(await asking.runner.ready(asking.current(ctx), START_WAIT_MS))) {
      throw new Error(
        `pimem is not running, nothing was done (${asking.runner.trouble ?? "no answer"}).`,
      );
    }
    const payload = { name, params, toolCallId, ...asking.computed("tool", ctx) };
    const answer = await asking.ask("tool", payload, ctx, { signal });
    if (!answer)
      throw new Error(signal?.aborted ? "Cancelled." : "pimem ended before it answered.");
    if (answer.error) throw new Error(answer.error.message);
    if (asking.alive) await guarded(() => perform(answer.actions, ctx, asking));
    const result = answer.actions.findLast((action) => action.do === "tool_result");
    if (!result) throw new Error("pimem gave no result.");
    const content = blocks(result.content);
    if (result.isError) throw new Error(content.map((block) => block.text).join("\n"));
    return { content, details: result.details ?? {} };
  }
}
