/**
 * The requests of P34: ordinary ones, and all known ways to ask for more than a parser may notice, in the
 * format of each endpoint. Generated from a seed; pure.
 */
import { type EndpointName, pathOf } from "../harness/endpoints.ts";
import type { Random } from "../harness/random.ts";
import { chatAttacks } from "./p34-chat.ts";
import { geminiAttacks } from "./p34-gemini.ts";
import { messagesAttacks } from "./p34-messages.ts";
import { responsesAttacks } from "./p34-responses.ts";
import { type Attacks, type Members, text } from "./p34-words.ts";

export interface Attack {
  readonly name: string;
  /** Of the URL. */
  readonly path: string;
  readonly body: string;
  /** True when it must be served. Attacks may be served or rejected. */
  readonly isOrdinary: boolean;
}

const attacks: Readonly<Record<EndpointName, Attacks>> = {
  chat: chatAttacks,
  responses: responsesAttacks,
  messages: messagesAttacks,
  gemini: geminiAttacks,
};

/** The kinds of requests of this endpoint. */
export const attackNames = (endpoint: EndpointName): string[] => Object.keys(attacks[endpoint].kinds);

/** The request of this kind; `mark` identifies it. */
export function makeAttack(
  {
    endpoint,
    name,
    model,
  }: { readonly endpoint: EndpointName; readonly name: string; readonly model: string },
  mark: string,
  random: Random,
): Attack {
  const { own: ownOf, kinds } = attacks[endpoint];
  const more = kinds[name]?.(random) ?? [];
  const isStream = random.chance(0.5);
  const stream: Members = isStream && endpoint !== "gemini" ? [["stream", "true"]] : [];
  const own = ownOf(mark, model);
  const members = random.chance(0.5) ? [...own, ...stream, ...more] : [...more, ...stream, ...own];
  const path = pathOf(endpoint, { model, isStream });
  return { name: `${endpoint}: ${name}`, path, body: text(members), isOrdinary: name.startsWith("ordinary") };
}
