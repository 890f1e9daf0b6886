/** A whole answer in OpenAI's shape, gathered piece by piece. */
import type { Usage } from "@plaza/contract/usage.ts";
import {
  type AnswerWriter,
  type FinishReason,
  type TokenLogprob,
  usageOnWire,
  type WriterHead,
} from "./writer.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Choice {
  text: string;
  refusal: string;
  reasoning: string;
  readonly tokens: TokenLogprob[];
  readonly details: Fields[];
  readonly images: Fields[];
  readonly annotations: Fields[];
  readonly calls: { id: string; name: string; arguments: string; extra: Fields | undefined }[];
  finish: FinishReason | undefined;
}

export class MessageBuilder implements AnswerWriter {
  readonly #head: WriterHead;
  readonly #choices: Choice[] = [];
  #usage: Usage | undefined;

  constructor(head: WriterHead) {
    this.#head = head;
  }

  text(text: string, choice = 0): void {
    this.#choice(choice).text += text;
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    for (const token of tokens) this.#choice(choice).tokens.push(token);
  }

  refusal(text: string, choice = 0): void {
    this.#choice(choice).refusal += text;
  }

  reasoning(text: string, choice = 0): void {
    this.#choice(choice).reasoning += text;
  }

  reasoningDetail(detail: Fields, choice = 0): void {
    this.#choice(choice).details.push(detail);
  }

  toolCall(
    index: number,
    { id, name, extra }: { id: string; name: string; extra?: Fields },
    choice = 0,
  ): void {
    this.#choice(choice).calls[index] = { id, name, arguments: "", extra };
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    const call = this.#choice(choice).calls[index];
    if (call !== undefined) call.arguments += fragment;
  }

  image(url: string, choice = 0): void {
    this.#choice(choice).images.push({ type: "image_url", image_url: { url } });
  }

  annotation(annotation: Fields, choice = 0): void {
    this.#choice(choice).annotations.push(annotation);
  }

  finish(reason: FinishReason, choice = 0): void {
    this.#choice(choice).finish = reason;
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** The answer's body; undefined when no choice has come to an end. */
  build(): Buffer | undefined {
    const { id, createdSeconds, model } = this.#head;
    const choices = this.#choices.flatMap((choice, index) => {
      if (choice?.finish === undefined) return [];
      const told = this.#head.isLegacy && choice.finish === "tool_calls" ? "function_call" : choice.finish;
      const logprobs = choice.tokens.length === 0 ? null : { content: choice.tokens, refusal: null };
      return [{ index, message: this.#message(choice), logprobs, finish_reason: told }];
    });
    if (choices.length === 0) return undefined;
    const answer = {
      id,
      object: "chat.completion",
      created: createdSeconds,
      model,
      choices,
      ...(this.#usage === undefined ? {} : { usage: usageOnWire(this.#usage) }),
    };
    return Buffer.from(JSON.stringify(answer));
  }

  #choice(index: number): Choice {
    this.#choices[index] ??= {
      text: "",
      refusal: "",
      reasoning: "",
      tokens: [],
      details: [],
      images: [],
      annotations: [],
      calls: [],
      finish: undefined,
    };
    return this.#choices[index];
  }

  #message(choice: Choice): Fields {
    const calls = choice.calls.filter((call) => call !== undefined);
    const isSilent = choice.text === "" && (calls.length > 0 || choice.refusal !== "");
    const [first] = calls;
    const called = calls.map(({ id, name, arguments: text, extra }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
      ...extra,
    }));
    return {
      role: "assistant",
      content: isSilent ? null : choice.text,
      refusal: choice.refusal === "" ? null : choice.refusal,
      ...(choice.reasoning === "" ? {} : { reasoning_content: choice.reasoning }),
      ...(choice.details.length === 0 ? {} : { reasoning_details: choice.details }),
      ...(choice.images.length === 0 ? {} : { images: choice.images }),
      ...(choice.annotations.length === 0 ? {} : { annotations: choice.annotations }),
      ...(first !== undefined && this.#head.isLegacy
        ? { function_call: { name: first.name, arguments: first.arguments } }
        : {}),
      ...(called.length > 0 && !this.#head.isLegacy ? { tool_calls: called } : {}),
    };
  }
}
