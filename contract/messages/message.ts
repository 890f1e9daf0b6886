/**
 * Creates messages and renders them in English, the language of `/v1`, logs and the terminal. The console may
 * use another language and imports `render.ts` and the texts it needs instead. Errors of the `plaza` command
 * (`CommandFailure`) have no ids: they are shown only in the terminal, which is English like the logs, so
 * their texts stand where they are made.
 */
import { texts } from "./en/index.ts";
import { type Language, render } from "./render.ts";
import type { Message, Param, Params } from "./shape.ts";
import type { NamesIn } from "./template.ts";

export type { Message, Param } from "./shape.ts";

/** The id of a text. */
export type MessageId = keyof typeof texts;

type ParamsOf<Id extends MessageId> = { readonly [Name in NamesIn<(typeof texts)[Id]>]: Param };

/** A message without params takes no second argument. */
type Rest<Id extends MessageId> = [NamesIn<(typeof texts)[Id]>] extends [never] ? [] : [params: ParamsOf<Id>];

/** `message("error.modelNotFound", { model })`: a missing or unknown param does not compile. */
export function message<Id extends MessageId>(id: Id, ...[params]: Rest<Id>): Message {
  return params === undefined ? { id } : { id, params: params as Params };
}

const english: Language = { texts, stop: ".", isSpaced: false };

/** The English text of a message. */
export function textOf(made: Message): string {
  return render(english, made) ?? made.id;
}

/** A message as `/api` sends it: its text, its id and params for the console. */
export interface RenderedMessage {
  readonly message: string;
  readonly id: string;
  readonly params?: Params | undefined;
}

/** The wire form of a message. */
export function rendered(made: Message): RenderedMessage {
  return { message: textOf(made), ...made };
}
