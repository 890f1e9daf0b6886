/**
 * The `formats` of a deployment: which wire formats its upstream speaks for the model. Knows providers only
 * by what they can speak.
 */
import type { Model, Upstream } from "@plaza/contract/catalog.ts";
import { type FormatId, formatIds } from "@plaza/contract/formats.ts";
import { type Message, message } from "@plaza/contract/messages/message.ts";
import { fault, guess, type Reading, readList, readText, type Spot } from "./reading.ts";

function readFormat(reading: Reading, spot: Spot): readonly FormatId[] {
  const read = readText(reading, spot, message("file.aFormat"));
  const known = formatIds.find((name) => name === read?.text);
  if (read !== undefined && known === undefined)
    fault(
      reading,
      spot,
      message("file.formatUnknown", { given: read.shown, guess: guess(read.text, formatIds, "formats") }),
    );
  return known === undefined ? [] : [known];
}

/** Each once, at least one. */
export function readFormats(reading: Reading, spot: Spot): readonly FormatId[] {
  const items = readList(reading, spot, "formats", 1, 2 * formatIds.length);
  return [...new Set(items.flatMap((item) => readFormat(reading, item)))];
}

/** What is wrong with a deployment's formats, and which deployment it is. */
export interface FormatFault {
  readonly at: number;
  readonly message: Message;
}

/** The formats that deployments name and their upstreams' providers cannot speak. */
export function formatFaults(
  { deployments }: Pick<Model, "deployments">,
  upstreamOf: (id: string) => Pick<Upstream, "provider"> | undefined,
  providers: readonly { readonly id: string; readonly formats?: readonly FormatId[] | undefined }[],
): FormatFault[] {
  return deployments.flatMap(({ upstream, formats = [] }, at) => {
    const name = upstreamOf(upstream)?.provider;
    const spoken = providers.find(({ id }) => id === name)?.formats;
    const wrong = spoken === undefined ? [] : formats.filter((format) => !spoken.includes(format));
    if (wrong.length === 0 || name === undefined || spoken === undefined) return [];
    const words = { provider: name, formats: wrong.join(", "), spoken: spoken.join(", ") };
    return [{ at, message: message("file.formatNotSpoken", words) }];
  });
}
