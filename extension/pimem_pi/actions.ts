/** What pimem asks for and pi does: each action by itself, so that one that fails stops no other. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { spawn, type ChildProcess } from "node:child_process";
import { attempt, modeOf, type Context, type Loose } from "./host.ts";
import { pythonless, type Action } from "./wire.ts";

type Message = Parameters<ExtensionAPI["sendMessage"]>[0];
type Level = "info" | "warning" | "error";

/** Texts without which an action is left out; pi itself takes anything and fails later. */
const NEEDS: Record<string, string[]> = {
  message: ["customType", "content"],
  send_user_message: ["text"],
  append_entry: ["customType"],
  emit: ["channel"],
  notify: ["message"],
  status: ["key"],
  confirm: ["key", "title", "message"],
};

/** The session in which actions are carried out. */
export interface Scope {
  readonly pi: ExtensionAPI;
  readonly alive: boolean;
  readonly command: string[];
  /** Keep a message until something else is sent to the model. */
  wait(message: Loose): void;
  answered(key: string, value: boolean | null, ctx: Context): Promise<void>;
  confirm(action: Action, ctx: Context): Promise<void>;
}

/**
 * Carry out the actions that do not belong to the event's own result.
 *
 * `collect` takes custom messages that travel with the prompt; without it they are stored. A command
 * waits for the person and for the manager, an event never does.
 */
export async function perform(
  actions: Action[],
  ctx: Context,
  scope: Scope,
  collect?: (message: Loose) => void,
  command = false,
): Promise<void> {
  for (const action of actions) {
    if (!scope.alive) return;
    try {
      const doing = carryOut(action, ctx, scope, collect);
      if (command) await doing;
      else void doing?.catch(() => {});
    } catch {
      // An action that this pi cannot do is left out.
    }
  }
}

function carryOut(
  action: Action,
  ctx: Context,
  scope: Scope,
  collect?: (message: Loose) => void,
): Promise<void> | undefined {
  const { pi } = scope;
  const known = NEEDS[action.do];
  if (known?.some((name) => typeof action[name] !== "string")) return undefined;
  switch (action.do) {
    case "message": {
      const { customType, content, display, details } = action;
      const message = { customType, content, display: display === true, details };
      if (collect) collect(message);
      else if (ctx.isIdle()) pi.sendMessage(message as Message, {});
      // During a run it goes with the next message to the model: alone it would cost a turn.
      else scope.wait(message);
      return undefined;
    }
    case "send_user_message": {
      const deliverAs = action.deliverAs === "steer" ? "steer" : "followUp";
      pi.sendUserMessage(action.text as string, { deliverAs });
      return undefined;
    }
    case "append_entry":
      pi.appendEntry(action.customType as string, action.data);
      return undefined;
    case "emit":
      pi.events.emit(action.channel as string, action.data);
      return undefined;
    case "notify":
      show(ctx, action.message as string, action.level);
      return undefined;
    case "status":
      if (ctx.hasUI)
        ctx.ui.setStatus(action.key as string, action.text ? clean(action.text) : undefined);
      return undefined;
    case "confirm":
      return scope.confirm(action, ctx);
    case "open_manager":
      return openManager(action, ctx, scope);
    default:
      return undefined;
  }
}

/** Tell the person; where pi has no screen, on stderr, since stdout belongs to the answer. */
export function show(ctx: Context, message: string, level: unknown): void {
  const known: Level = level === "warning" || level === "error" ? level : "info";
  if (ctx.hasUI) ctx.ui.notify(clean(message), known);
  else process.stderr.write(`${clean(message)}\n`);
}

/** No control character of a message reaches the terminal. */
function clean(text: unknown): string {
  return String(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}

/** Ask the person, each question once at a time; nobody there is an answer too. */
export async function askPerson(
  action: Action,
  ctx: Context,
  scope: Scope,
  asking: Set<string>,
): Promise<void> {
  const key = action.key as string;
  if (asking.has(key)) return;
  asking.add(key);
  let value: boolean | null = null;
  try {
    if (ctx.hasUI) value = await chosen(action, ctx);
  } finally {
    asking.delete(key);
  }
  if (scope.alive) await scope.answered(key, value, ctx);
}

/** The person's yes or no. pi's own question has Yes in front; what removes something has not. */
async function chosen(action: Action, ctx: Context): Promise<boolean> {
  const title = clean(action.title);
  const message = clean(action.message);
  if (!action.yes || modeOf(ctx) !== "tui") return ctx.ui.confirm(title, message);
  const yes = clean(action.yes);
  return (await ctx.ui.select(`${title}\n${message}`, ["Cancel", yes])) === yes;
}

/** Lay pi's screen aside, give the terminal to the manager, and bring the screen back. */
async function openManager(action: Action, ctx: Context, scope: Scope): Promise<void> {
  if (modeOf(ctx) !== "tui") {
    show(ctx, "The memory manager needs a terminal of its own: run pimem there.", "warning");
    return;
  }
  const args = Array.isArray(action.args) ? action.args.map(String) : [];
  const outcome = await ctx.ui.custom<string | undefined>((tui, _theme, _keys, done) => {
    tui.stop();
    process.stdout.write("\x1b[2J\x1b[H");
    void run([...scope.command, ...args], ctx.cwd).then((failure) => {
      attempt(() => tui.start());
      attempt(() => tui.requestRender(true));
      done(failure);
    });
    return { render: () => [], invalidate: () => {} };
  });
  if (outcome && scope.alive) show(ctx, `The memory manager ended early: ${outcome}.`, "warning");
}

function run(command: string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      // The manager draws on stderr, which may lead into a file.
      const errors = process.stderr.isTTY ? 2 : 1;
      child = spawn(command[0]!, command.slice(1), { cwd, env: pythonless(), stdio: [0, 1, errors] });
    } catch (error) {
      resolve(String(error));
      return;
    }
    // When pi is told to end meanwhile, the manager gets to tidy up the terminal as well.
    const end = () => child.kill("SIGTERM");
    process.once("exit", end);
    const finish = (failure?: string) => {
      process.off("exit", end);
      resolve(failure);
    };
    child.on("error", (error) => finish(error.message));
    child.once("exit", (code, signal) =>
      finish(code === 0 ? undefined : `${signal ?? `code ${code}`}`),
    );
  });
}

/** The prompt sections among the actions, by name. */
export function sections(actions: Action[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const action of actions) {
    if (action.do !== "section" || !action.text || typeof action.text !== "string") continue;
    if (/^[a-z][a-z0-9_-]*$/.test(String(action.name))) found.set(String(action.name), action.text);
  }
  return found;
}

/** A tool's result as pi wants it. */
export function blocks(content: unknown): { type: "text"; text: string }[] {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  return parts.map((part) => ({
    type: "text",
    text: String(typeof part === "string" ? part : ((part as Loose | null)?.text ?? "")),
  }));
}
