/**
 * What a request says: the session, the event's fields that the document names, the computed ones
 * (`@…`).
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { branch, branchFrom, entryIds, tail } from "./entries.ts";
import { attempt, modeOf, type Context, type Loose } from "./host.ts";
import { startedByPi } from "./parent.ts";
import type { Session } from "./wire.ts";

export interface Seen {
  sections: boolean;
  message_type: boolean;
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
    ...(modeOf(ctx) !== "tui" && startedByPi() ? { subagent: true } : {}),
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
    case "busy":
      return ctx.isIdle?.() === false;
    case "context_window":
      return (ctx.model as Loose | undefined)?.contextWindow;
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
