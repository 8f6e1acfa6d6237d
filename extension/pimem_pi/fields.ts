/**
 * What a request says: the session, the event's fields that the document names, the computed ones
 * (`@…`), and the edits of the message list that come back.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { plain, type Action, type Session } from "./runner.ts";

/** What later versions of pi have besides; all of it is tested for before use. */
export type Context = ExtensionContext & {
  mode?: string;
  isProjectTrusted?: () => boolean;
  waitForIdle?: () => Promise<void>;
};

type Loose = Record<string, unknown>;

export interface Seen {
  sections: boolean;
  message_type: boolean;
}

/** `@branch_from` sends no more than this at once; the rest follows with the next request. */
const BRANCH_BYTES = 4 * 1024 * 1024;

export function modeOf(ctx: Context): string {
  if (ctx.mode) return ctx.mode;
  if (!ctx.hasUI) return "print";
  return process.stdin.isTTY && process.stdout.isTTY ? "tui" : "rpc"; // pi before 0.78 does not say
}

export function sessionOf(ctx: Context, version: string | null, seen: Seen): Session {
  const trusted = ctx.isProjectTrusted?.();
  const features: string[] = ["entry_ids"]; // computed from the branch, which every pi has
  if (seen.sections) features.push("sections");
  if (seen.message_type) features.push("message_type");
  if (trusted !== undefined) features.push("trust");
  if (ctx.mode) features.push("mode");
  return {
    id: ctx.sessionManager.getSessionId(),
    file: ctx.sessionManager.getSessionFile() ?? null,
    cwd: ctx.cwd,
    ...(trusted === undefined ? {} : { trusted }),
    mode: modeOf(ctx),
    pi: version,
    features,
  };
}

/** The payload for an event: nested as in the event, computed fields under their own names. */
export function payloadOf(
  fields: readonly string[],
  event: Loose,
  ctx: Context,
  pi: ExtensionAPI,
  kept: Loose,
  own: string,
): Loose {
  const payload: Loose = {};
  for (const field of fields) {
    if (field.startsWith("@")) {
      const value = attempt(() => computed(field.slice(1), event, ctx, pi, kept, own));
      if (value !== undefined) payload[field] = value;
    } else {
      copy(field.split("."), event, payload);
    }
  }
  return payload;
}

function copy(path: string[], from: Loose, to: Loose): void {
  const name = path[0]!;
  const value = from[name];
  if (value === undefined) return;
  if (path.length === 1) {
    to[name] = value;
  } else if (typeof value === "object" && value !== null) {
    const below = (to[name] ??= {}) as Loose;
    if (below !== value) copy(path.slice(1), value as Loose, below);
  }
}

function computed(
  field: string,
  event: Loose,
  ctx: Context,
  pi: ExtensionAPI,
  kept: Loose,
  own: string,
): unknown {
  const [kind, name = ""] = split(field);
  switch (kind) {
    case "entry_ids":
      return entryIds(event, ctx);
    case "entries":
      return (
        branch(ctx).findLast((e) => e.type === "custom" && e.customType === name)?.data ?? null
      );
    case "branch_from":
      return branchFrom(branch(ctx), kept[name]);
    case "tail_has":
      return tail(ctx).some((e) => e.customType === name && e.type !== "custom");
    case "tools":
      return pi.getAllTools().map((tool) => sourced(tool as unknown as Loose, own));
    case "commands":
      return pi.getCommands().map((command) => sourced(command as unknown as Loose, own));
    default:
      return undefined;
  }
}

function split(field: string): [string, string?] {
  const colon = field.indexOf(":");
  return colon < 0 ? [field] : [field.slice(0, colon), field.slice(colon + 1)];
}

/** The names of tools and commands that other extensions, or pi itself, have. */
export function occupied(pi: ExtensionAPI, own: string): Set<string> {
  const tools = attempt(() => pi.getAllTools() as unknown as Loose[]) ?? [];
  const commands = attempt(() => pi.getCommands() as unknown as Loose[]) ?? [];
  const others = [...tools, ...commands.filter((c) => c.source === "extension")]
    .map((item) => sourced(item, own))
    .filter((item) => !item.own);
  // pi numbers a command that two extensions have.
  return new Set(others.map((item) => String(item.name).replace(/:\d+$/, "")));
}

function sourced(item: Loose, own: string): Loose {
  const info = (item.sourceInfo ?? {}) as Loose;
  const path = typeof info.path === "string" ? info.path : null;
  const kind = typeof item.source === "string" ? item.source : "tool";
  const source = info.source ?? item.source ?? null;
  return { name: item.name, kind, source, path, own: path === own };
}

function branch(ctx: Context): Loose[] {
  return ctx.sessionManager.getBranch() as unknown as Loose[];
}

/** The entries that the model still sees as they are: after a compaction those it kept. */
function tail(ctx: Context): Loose[] {
  const entries = branch(ctx);
  const compacted = entries.findLastIndex((e) => e.type === "compaction");
  if (compacted < 0) return entries;
  const kept = entries.findIndex((e) => e.id === entries[compacted]!.firstKeptEntryId);
  return entries.slice(kept < 0 ? compacted : kept);
}

/** The branch from a kept position on; from the start when the branch has become shorter. */
function branchFrom(entries: Loose[], kept: unknown): Loose {
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

/** For each message of a `context` event the id of its entry, or null. */
function entryIds(event: Loose, ctx: Context): (string | null)[] {
  const messages = Array.isArray(event.messages) ? (event.messages as Loose[]) : [];
  const entries = branch(ctx);
  let next = 0;
  return messages.map((message) => {
    const at = entries.findIndex((entry, i) => i >= next && same(entry, message));
    if (at < 0) return null;
    next = at + 1;
    return entries[at]!.id as string;
  });
}

/** Messages are copies of what the entries hold: role and time, or the text, tell which is which. */
function same(entry: Loose, message: Loose): boolean {
  if (entry.type === "message") {
    const held = (entry.message ?? {}) as Loose;
    return held.role === message.role && held.timestamp === message.timestamp;
  }
  return (
    entry.type === "custom_message" &&
    message.role === "custom" &&
    entry.customType === message.customType &&
    JSON.stringify(entry.content) === JSON.stringify(message.content)
  );
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

export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
