/** What goes to the runner and comes back, and what goes with it. */

export interface Action {
  do: string;
  [key: string]: unknown;
}

export interface Answer {
  id: string;
  actions: Action[];
  keep?: Record<string, unknown>;
  result?: unknown;
  error?: { code: string; message: string };
}

export interface Session {
  id: string;
  file: string | null;
  cwd: string;
  trusted?: boolean;
  mode: string;
  pi: string | null;
  features: string[];
}

export interface Question {
  event: string;
  session: Session;
  payload: Record<string, unknown>;
  /** How long the answer is waited for; without it until it comes, is aborted or cannot come. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Gets an answer that came after its deadline. */
  late?: (answer: Answer) => void;
}

/** The environment without what a project sets for its own Python. */
export function pythonless(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("PYTHON"));
  return Object.fromEntries(kept);
}

/** JSON for what pi's events hold beyond it; image bytes are of no use to a memory. */
export function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Set) return [...value];
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof AbortSignal) return undefined;
  const block = value as { type?: unknown; data?: unknown };
  return block.type === "image" && typeof block.data === "string" ? { ...block, data: "" } : value;
}
