// Another extension, for what a test cannot do from outside: runs begun by a custom message,
// reloading, and listening on the bus between extensions.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

export default function helper(pi: ExtensionAPI): void {
  const out = join(process.env.PIMEM_STAND_IN!, "heard.jsonl");
  pi.events.on("read-guard/file-read", (data) => appendFileSync(out, JSON.stringify(data) + "\n"));
  pi.registerCommand("inject", {
    description: "Begin a run with a custom message",
    handler: async () => {
      const message = { customType: "helper", content: "INJECTED", display: false, details: {} };
      pi.sendMessage(message, { triggerTurn: true });
    },
  });
  pi.registerCommand("again", {
    description: "Load all extensions anew",
    handler: async (_args, ctx) => ctx.reload(),
  });
}
