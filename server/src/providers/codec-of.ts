/**
 * How a provider serves callers of one format: their bytes as they are where it speaks that format and has a
 * way for them, else their conversation in a format it speaks, and its answers in theirs.
 */
import type { Deployment } from "@plaza/contract/catalog.ts";
import type { CallerFormat } from "../protocols/format.ts";
import type { HttpCodec, HttpProvider, ScriptWriter, SpokenFormat, TranslatedScripts } from "./provider.ts";

/** What is known of a call when its codec is chosen. */
export interface FormatCall {
  readonly deployment: Pick<Deployment, "model" | "formats">;
  /** The caller's, in its own format. */
  readonly body: Buffer;
}

/** True when a deployment is called in this format. */
export function isSpoken(spoken: SpokenFormat, { model, formats }: FormatCall["deployment"]): boolean {
  if (formats === undefined) return spoken.isSpokenFor?.(model) ?? true;
  return formats.some((format) => format === spoken.format);
}

/**
 * The format a call is told in: the one it needs, else the caller's own where that can pass, else the first.
 * undefined: none of those the deployment names.
 */
export function spokenFor(
  { formats, formatNeeded }: Pick<HttpProvider, "formats" | "formatNeeded">,
  caller: CallerFormat,
  { deployment, body }: FormatCall,
): SpokenFormat | undefined {
  const needed = formatNeeded?.(caller.id, deployment.model, body) ?? caller.id;
  let first: SpokenFormat | undefined;
  for (const spoken of formats) {
    if (!isSpoken(spoken, deployment)) continue;
    if (spoken.format === needed) return spoken;
    first ??= spoken;
  }
  return first;
}

/** True when the caller's bytes are passed on. */
export const isPassed = (caller: CallerFormat, spoken: SpokenFormat, body: Buffer): boolean =>
  spoken.format === caller.id && spoken.passing !== undefined && (spoken.mayPass?.(body) ?? true);

/** Formats of a deployment in which tokens are counted. */
export const countersOf = (
  { formats }: Pick<HttpProvider, "formats">,
  deployment: FormatCall["deployment"],
): SpokenFormat[] => formats.filter((spoken) => spoken.counter !== undefined && isSpoken(spoken, deployment));

/** The format a deployment counts tokens in: the caller's own, else the first. undefined: it counts none. */
export const counterFor = (
  provider: Pick<HttpProvider, "formats">,
  caller: Pick<CallerFormat, "id">,
  deployment: FormatCall["deployment"],
): SpokenFormat | undefined => {
  const able = countersOf(provider, deployment);
  return able.find(({ format }) => format === caller.id) ?? able[0];
};

/** The translating codec. To be asked once for each upstream and caller's format, not per call. */
export const codecOf = (caller: CallerFormat, spoken: SpokenFormat): HttpCodec => ({
  inlinesMedia: spoken.inlinesMedia,
  translation: caller.translation(spoken.decoder),
  encode: (request, upstream, credential, model) =>
    spoken.encode(caller.decode(request), request, upstream, credential, model),
});

/** The same of a provider without a network. undefined: its own scripts answer in the caller's format. */
export function scriptOf(caller: CallerFormat, translated: TranslatedScripts): ScriptWriter | undefined {
  if (translated.format === caller.id) return undefined;
  return (request, model, createdSeconds) =>
    translated.play(caller.decode(request), request, model, createdSeconds);
}
