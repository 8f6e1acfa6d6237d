/** What memory adds to a prompt: sections of the system prompt, and hidden messages. */
import { perform, sections } from "./actions.ts";
import { guarded, type Asking } from "./asking.ts";
import { attempt, type Context, type Loose } from "./host.ts";

export class Prompts {
  /** Messages for the prompt that is about to be sent. */
  private messages: Loose[] = [];
  private handlers = 0;

  constructor(
    private readonly asking: Asking,
    private readonly on: (handler: (event: Loose, ctx: Context) => unknown) => void,
  ) {}

  /** pi takes one message from a handler, so there is one handler for each system. */
  listen(systems: number): void {
    for (; this.handlers < systems; this.handlers++) {
      const first = this.handlers === 0;
      this.on((event, ctx) =>
        first ? guarded(() => this.beforeAgentStart(event, ctx)) : this.nextMessage(),
      );
    }
  }

  /**
   * A run that goes on after a compaction has no before_agent_start. What is steered in while it
   * starts is read before its first request, after the message that began it.
   */
  deliver(): void {
    for (const message of this.asking.waiting.splice(0)) {
      attempt(() => this.asking.pi.sendMessage(message as never, { deliverAs: "steer" }));
    }
  }

  private async beforeAgentStart(event: Loose, ctx: Context): Promise<unknown> {
    const { asking } = this;
    const options = event.systemPromptOptions as { sections?: Loose } | undefined;
    const prompt = options?.sections;
    asking.shared.seen.sections ||= prompt !== undefined;
    asking.shared.seen.message_type ||= event.messageType !== undefined;
    this.messages = asking.waiting.splice(0);
    const answer = await asking.forward("before_agent_start", event, ctx);
    if (!asking.alive) return undefined;
    const held = asking.held(ctx);
    const actions = answer?.actions ?? [];
    // Without an answer the same bytes as last time, so that the prompt's prefix does not change.
    if (answer && !answer.error) held.sections = sections(actions);
    await perform(actions, ctx, asking, (message) => this.messages.push(message));
    for (const surplus of this.messages.splice(this.handlers)) {
      attempt(() => asking.pi.sendMessage(surplus as never, { deliverAs: "nextTurn" }));
    }
    let appended = "";
    for (const [name, text] of held.sections) {
      if (prompt) prompt[name] = text;
      else appended += `\n\n<${name}>\n${text}\n</${name}>`;
    }
    for (const action of actions) {
      if (action.do === "append_prompt" && action.text) appended += `\n\n${String(action.text)}`;
    }
    const systemPrompt = appended && `${String(event.systemPrompt)}${appended}`;
    const message = this.messages.shift();
    if (!systemPrompt && !message) return undefined;
    return { ...(systemPrompt && { systemPrompt }), ...(message && { message }) };
  }

  private nextMessage(): unknown {
    const message = this.messages.shift();
    return message && { message };
  }
}
