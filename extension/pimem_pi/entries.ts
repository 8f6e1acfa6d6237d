/** The session's entries, as pimem asks for them. */
import type { Context, Loose } from "./host.ts";
import { plain } from "./wire.ts";

/** `@branch_from` sends no more than this at once; the rest follows with the next request. */
const BRANCH_BYTES = 4 * 1024 * 1024;

export function branch(ctx: Context): Loose[] {
  return ctx.sessionManager.getBranch() as unknown as Loose[];
}

/** The entries that the model still sees as they are: after a compaction those it kept. */
export function tail(ctx: Context): Loose[] {
  const entries = branch(ctx);
  const compacted = entries.findLastIndex((e) => e.type === "compaction");
  if (compacted < 0) return entries;
  const kept = entries.findIndex((e) => e.id === entries[compacted]!.firstKeptEntryId);
  return entries.slice(kept < 0 ? compacted : kept);
}

/** The branch from a kept position on; from the start when the branch has become shorter. */
export function branchFrom(entries: Loose[], kept: unknown): Loose {
  const wanted = typeof kept === "number" && kept >= 0 ? Math.floor(kept) : 0;
  const reset = wanted > entries.length;
  const from = reset ? 0 : wanted;
  const sent: Loose[] = [];
  let bytes = 0;
  for (const entry of entries.slice(from)) {
    bytes += JSON.stringify(entry, plain).length;
    if (sent.length > 0 && bytes > BRANCH_BYTES) break;
    sent.push(entry);
  }
  const more = from + sent.length < entries.length;
  return { from, length: entries.length, reset, more, entries: sent };
}

/**
 * For each message of a `context` event the id of its entry, or null.
 *
 * Both lists are in the same order. One pass over each: a message that has no entry is looked for
 * among the entries' keys, not among the entries.
 */
export function entryIds(event: Loose, ctx: Context): (string | null)[] {
  const messages = Array.isArray(event.messages) ? (event.messages as Loose[]) : [];
  const entries = branch(ctx);
  const places = new Map<string, number[]>();
  entries.forEach((entry, place) => {
    const key = keyOfEntry(entry);
    if (key === undefined) return;
    const known = places.get(key);
    if (known) known.push(place);
    else places.set(key, [place]);
  });
  let next = 0;
  return messages.map((message) => {
    const found = places.get(keyOfMessage(message));
    while (found?.length && found[0]! < next) found.shift();
    const place = found?.shift();
    if (place === undefined) return null;
    next = place + 1;
    return entries[place]!.id as string;
  });
}

/** Messages are copies of what the entries hold: role and time, or the text, tell which is which. */
function keyOfEntry(entry: Loose): string | undefined {
  if (entry.type === "message") {
    const held = (entry.message ?? {}) as Loose;
    return `${String(held.role)} ${String(held.timestamp)}`;
  }
  if (entry.type !== "custom_message") return undefined;
  return `custom:${String(entry.customType)} ${JSON.stringify(entry.content)}`;
}

function keyOfMessage(message: Loose): string {
  if (message.role === "custom" && message.customType !== undefined)
    return `custom:${String(message.customType)} ${JSON.stringify(message.content)}`;
  return `${String(message.role)} ${String(message.timestamp)}`;
}
