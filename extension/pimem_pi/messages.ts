/** The messages of a `context` event, and edits of them. */
import { entryIds } from "./entries.ts";
import { attempt, type Context, type Loose } from "./host.ts";
import type { Action } from "./wire.ts";

/** An old pi may store the newest message only while the `context` event goes on. */
export async function settled(event: Loose, ctx: Context): Promise<void> {
  for (let turn = 0; turn < 20 && entryIds(event, ctx).at(-1) === null; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Wait until pi has a message in its queue, a few turns of the event loop at most. */
export async function enqueued(ctx: Context): Promise<void> {
  for (let turn = 0; turn < 20 && !attempt(() => ctx.hasPendingMessages()); turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The message list with the edits made, or undefined when none of them applies. */
export function edited(edits: unknown, event: Loose, ctx: Context): Loose[] | undefined {
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const messages = [...(event.messages as Loose[])];
  const ids = entryIds(event, ctx);
  let changed = false;
  for (const edit of edits as Action[]) {
    const newest = messages.findLastIndex((m) => m.role === "user");
    const at = edit.entry == null ? newest : ids.indexOf(edit.entry as string);
    if (at < 0) continue;
    if (edit.op === "replace_before" && edit.entry != null && edit.message) {
      messages.splice(0, at, edit.message as Loose);
      ids.splice(0, at, null);
      changed = true;
    } else if (edit.op === "prepend" && typeof edit.text === "string") {
      const message = withText(messages[at]!, edit.text);
      if (message) messages[at] = message;
      changed ||= message !== undefined;
    }
  }
  return changed ? messages : undefined;
}

function withText(message: Loose, text: string): Loose | undefined {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: text + content };
  if (!Array.isArray(content)) return undefined;
  const first = (content as Loose[]).findIndex((block) => block.type === "text");
  if (first < 0) return undefined;
  const blocks = [...(content as Loose[])];
  blocks[first] = { ...blocks[first], text: text + String(blocks[first]!.text) };
  return { ...message, content: blocks };
}
