/** pi's queue for changes of files, which its own edit and write tools use as well. */
import * as host from "@earendil-works/pi-coding-agent";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { attempt } from "./host.ts";

/** The files a call changes, each once: names for one file would wait for each other for ever. */
export function paths(templates: unknown, params: Record<string, unknown>): string[] {
  const found = new Set<string>();
  for (const template of Array.isArray(templates) ? (templates as string[]) : []) {
    let complete = true;
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = params?.[name];
      complete &&= typeof value === "string" && value !== "" && !value.includes("\0");
      return String(value);
    });
    if (complete) found.add(attempt(() => realpathSync(path)) ?? resolve(path));
  }
  return [...found].sort();
}

/** Run the work while pi holds back its own changes of these files. */
export function queued<T>(files: string[], work: () => Promise<T>): Promise<T> {
  const queue = (host as Partial<typeof host>).withFileMutationQueue;
  const [file, ...rest] = files;
  return file === undefined || !queue ? work() : queue(file, () => queued(rest, work));
}
