/** Assembles a whole answer in OpenAI's format piece by piece. */
import type { Usage } from "@plaza/contract/usage.ts";
import type {
  AnswerSink,
  CallHead,
  EndReason,
  OpaqueReasoning,
  TokenLogprob,
} from "../../conversation/answer.ts";
import type { Citation } from "../../conversation/blocks.ts";
import {
  type AnswerHead,
  callOnWire,
  citationOnWire,
  customCallOnWire,
  type Fields,
  finishOnWire,
  imageOnWire,
  logprobOnWire,
  reasoningOnWire,
  usageOnWire,
} from "./encode-answer.ts";

/** `input`: a custom tool's text. */
interface Call {
  readonly head: CallHead;
  arguments: string;
  readonly input: string | undefined;
}

interface Choice {
  text: string;
  refusal: string;
  reasoning: string;
  readonly tokens: Fields[];
  readonly details: Fields[];
  readonly images: Fields[];
  readonly annotations: Fields[];
  readonly calls: Call[];
  finish: EndReason | undefined;
}

export class MessageBuilder implements AnswerSink {
  readonly #head: AnswerHead;
  #model: string;
  readonly #choices: Choice[] = [];
  #usage: Usage | undefined;

  constructor(head: AnswerHead) {
    this.#head = head;
    this.#model = head.model;
  }

  model(name: string): void {
    this.#model = name;
  }

  text(text: string, choice = 0): void {
    this.#choice(choice).text += text;
  }

  logprobs(tokens: readonly TokenLogprob[], choice = 0): void {
    for (const token of tokens) this.#choice(choice).tokens.push(logprobOnWire(token));
  }

  refusal(text: string, choice = 0): void {
    this.#choice(choice).refusal += text;
  }

  reasoning(text: string, choice = 0): void {
    this.#choice(choice).reasoning += text;
  }

  opaqueReasoning(reasoning: OpaqueReasoning, choice = 0): void {
    this.#choice(choice).details.push(reasoningOnWire(reasoning));
  }

  toolCall(index: number, head: CallHead, choice = 0): void {
    this.#choice(choice).calls[index] = { head, arguments: "", input: undefined };
  }

  customCall(index: number, head: CallHead & { readonly input: string }, choice = 0): void {
    this.#choice(choice).calls[index] = { head, arguments: "", input: head.input };
  }

  toolArguments(index: number, fragment: string, choice = 0): void {
    const call = this.#choice(choice).calls[index];
    if (call !== undefined) call.arguments += fragment;
  }

  image(mediaType: string, base64: string, choice = 0): void {
    this.#choice(choice).images.push(imageOnWire(mediaType, base64));
  }

  citation(citation: Citation, choice = 0): void {
    this.#choice(choice).annotations.push(citationOnWire(citation));
  }

  finish(reason: EndReason, choice = 0): void {
    this.#choice(choice).finish = reason;
  }

  usage(usage: Usage): void {
    this.#usage = usage;
  }

  /** The answer's body; undefined when no choice has ended. */
  build(): Buffer | undefined {
    const { id, createdSeconds } = this.#head;
    const choices = this.#choices.flatMap((choice, index) => {
      if (choice?.finish === undefined) return [];
      const finishReason = finishOnWire(choice.finish, this.#head);
      const logprobs = choice.tokens.length === 0 ? null : { content: choice.tokens, refusal: null };
      return [{ index, message: this.#message(choice), logprobs, finish_reason: finishReason }];
    });
    if (choices.length === 0) return undefined;
    const answer = {
      id,
      object: "chat.completion",
      created: createdSeconds,
      model: this.#model,
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
    const called = calls.map(({ head, arguments: text, input }) =>
      input === undefined ? callOnWire(head, text) : customCallOnWire({ ...head, input }),
    );
    return {
      role: "assistant",
      content: isSilent ? null : choice.text,
      refusal: choice.refusal === "" ? null : choice.refusal,
      ...(choice.reasoning === "" ? {} : { reasoning_content: choice.reasoning }),
      ...(choice.details.length === 0 ? {} : { reasoning_details: choice.details }),
      ...(choice.images.length === 0 ? {} : { images: choice.images }),
      ...(choice.annotations.length === 0 ? {} : { annotations: choice.annotations }),
      ...(first !== undefined && this.#head.isLegacy
        ? { function_call: { name: first.head.name, arguments: first.arguments } }
        : {}),
      ...(called.length > 0 && !this.#head.isLegacy ? { tool_calls: called } : {}),
    };
  }
}
