/** What outlives a session: pi loads the shim anew for every /new, /resume, /fork and /reload. */
import type { Description } from "./document.ts";
import type { Seen } from "./fields.ts";
import type { Runner } from "./runner.ts";

export interface Held {
  keep: Record<string, unknown>;
  sections: Map<string, string>;
}

export interface Shared {
  runner?: Runner;
  owner?: string;
  /** Of which sessions something is held, oldest first. */
  sessions: Map<string, Held>;
  seen: Seen;
  prompted: boolean;
  noticed: boolean;
  told?: Description;
}

const SESSIONS_HELD = 50;

export function sharedState(): Shared {
  const key = Symbol.for("pimem.pi");
  const everywhere = globalThis as unknown as Record<symbol, Shared | undefined>;
  return (everywhere[key] ??= {
    sessions: new Map(),
    seen: { sections: false, message_type: false },
    prompted: false,
    noticed: false,
  });
}

export function heldFor(shared: Shared, id: string): Held {
  const { sessions } = shared;
  const found = sessions.get(id) ?? { keep: {}, sections: new Map<string, string>() };
  sessions.delete(id);
  sessions.set(id, found);
  if (sessions.size > SESSIONS_HELD) sessions.delete(sessions.keys().next().value!);
  return found;
}
