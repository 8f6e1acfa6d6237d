/** pi itself, whichever version of it. */
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** What later versions of pi have besides; all of it is tested for before use. */
export type Context = ExtensionContext & {
  mode?: string;
  isProjectTrusted?: () => boolean;
  waitForIdle?: () => Promise<void>;
};

export type Loose = Record<string, unknown>;

export function modeOf(ctx: Context): string {
  if (ctx.mode) return ctx.mode;
  if (!ctx.hasUI) return "print";
  return process.stdin.isTTY && process.stdout.isTTY ? "tui" : "rpc"; // pi before 0.78 does not say
}

/** The result of work that may fail, or undefined. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
