/** Whether another pi started this one, as subagents are. */
import { readFileSync } from "node:fs";
import { attempt } from "./host.ts";

/** What pi gives the commands that it runs, and extensions the agents that they start. */
const NAMES_PARENT = /^PI_(SESSION_ID|SESSION_FILE|PARENT\w*|SUBAGENT\w*)$/;
/** What pi also sets in its own environment, so that only what it was started with counts. */
const NAMES_PI = new Set(["PI_CODING_AGENT=true", "AI_AGENT=pi"]);

let known: boolean | undefined;

export function startedByPi(): boolean {
  return (known ??= Object.keys(process.env).some((name) => NAMES_PARENT.test(name)) || begunByPi());
}

/** As Linux tells it; elsewhere nobody does. */
function begunByPi(): boolean {
  const start = attempt(() => readFileSync("/proc/self/environ", "utf8")) ?? "";
  return start.split("\0").some((row) => NAMES_PI.has(row));
}
