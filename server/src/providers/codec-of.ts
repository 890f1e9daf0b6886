/**
 * How a provider serves callers of one format: their bytes as they are where it speaks that format and has a
 * way for them, else their conversation in the format it speaks, and its answers in theirs.
 */
import type { CallerFormat } from "../protocols/format.ts";
import type { HttpCodec, ScriptWriter, SpokenFormat, TranslatedScripts } from "./provider.ts";

/** To be asked once for each upstream and caller's format, not per call. */
export function codecOf(caller: CallerFormat, spoken: SpokenFormat): HttpCodec {
  if (spoken.passing !== undefined && spoken.format === caller.id) return spoken.passing;
  return {
    inlinesMedia: spoken.inlinesMedia,
    translation: caller.translation(spoken.decoder),
    encode: (request, upstream, credential, model) =>
      spoken.encode(caller.decode(request), request, upstream, credential, model),
  };
}

/** The same of a provider without a network. undefined: its own scripts answer in the caller's format. */
export function scriptOf(caller: CallerFormat, translated: TranslatedScripts): ScriptWriter | undefined {
  if (translated.format === caller.id) return undefined;
  return (request, model, createdSeconds) =>
    translated.play(caller.decode(request), request, model, createdSeconds);
}
