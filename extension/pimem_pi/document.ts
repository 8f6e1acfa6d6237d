/**
 * What pimem described the last time, so that pi knows tools and commands before pimem runs.
 *
 * Files, in pimem's state folder (`$XDG_STATE_HOME/pimem`, else `~/.local/state/pimem`):
 *
 *   describe/<first 16 hex digits of sha256 of the working folder's path>.json
 *   describe/last.json        for a folder that has none yet
 *
 * Both hold `{"command": ["/abs/pimem"], "describe": {…}}`, where `describe` is what
 * `pimem hook describe` prints. `command` is taken from last.json, so that installing pimem
 * anew moves every folder to it, and from the folder's file only when last.json is missing.
 * With neither it is bin/pimem of the environment that this package lies in, else pimem on the path.
 * The runner is `command` + `hook serve`, the manager `command` + the action's arguments.
 * `PIMEM_COMMAND` (a path, or a JSON list) overrides `command`.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt } from "./host.ts";

export interface EventSpec {
  name: string;
  fields?: string[];
  deadline_ms?: number | null;
  awaited?: boolean;
}
export interface ToolSpec {
  name: string;
  system?: string;
  label?: string;
  description: string;
  parameters: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  queue?: string[];
}
export interface CommandSpec {
  name: string;
  system?: string;
  description?: string;
}
export interface Description {
  systems?: unknown[];
  tools?: ToolSpec[];
  commands?: CommandSpec[];
  events?: EventSpec[];
}

export interface Stored {
  command: string[];
  describe: Description;
}

const LONGEST_DOCUMENT = 4 * 1024 * 1024;

/** The document for this folder, and how pimem is started. Never fails. */
export function stored(): Stored {
  const folder = join(stateFolder(), "describe");
  const hash = createHash("sha256").update(process.cwd()).digest("hex").slice(0, 16);
  const here = read(join(folder, `${hash}.json`));
  const last = read(join(folder, "last.json"));
  const command = [override(), last?.command, here?.command].find(
    (words): words is string[] => Array.isArray(words) && words.length > 0 && words.every(isText),
  );
  return { command: command ?? [beside() ?? "pimem"], describe: here?.describe ?? last?.describe ?? {} };
}

function read(path: string): { command?: unknown; describe?: Description } | undefined {
  return attempt(() => {
    const found = statSync(path);
    if (!found.isFile() || found.size > LONGEST_DOCUMENT) return undefined;
    return JSON.parse(readFileSync(path, "utf8")) as { describe?: Description };
  });
}

/** The program of the Python environment that this package is installed in. */
function beside(): string | undefined {
  const program = fileURLToPath(new URL("../../../../bin/pimem", import.meta.url));
  return attempt(() => (statSync(program).isFile() ? program : undefined));
}

function override(): unknown {
  const value = process.env.PIMEM_COMMAND;
  if (!value) return undefined;
  return value.startsWith("[") ? attempt(() => JSON.parse(value) as unknown) : [value];
}

function stateFolder(): string {
  const base = process.env.XDG_STATE_HOME;
  if (base && isAbsolute(base)) return join(base, "pimem");
  const home = process.env.HOME || homedir();
  if (process.platform === "darwin") return join(home, "Library", "Application Support", "pimem");
  if (process.platform === "win32") {
    return join(process.env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "pimem");
  }
  return join(home, ".local", "state", "pimem");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function list<T extends { name: string }>(items: T[] | undefined): T[] {
  return Array.isArray(items) ? items.filter((item) => isText(item?.name)) : [];
}
