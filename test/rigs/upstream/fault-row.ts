/** A row of a fault table, and the usual ways to make one. Pure. */

import { errorScript } from "./fault-parts.ts";
import type { Asked, Script } from "./script.ts";

/** What a fault makes of the valid answer. */
export type Faulty =
  | { readonly script: Script }
  | {
      readonly raw: Buffer;
      readonly ending: "fin" | "rst" | "hang";
      /** As a step's. */
      readonly report?: string | undefined;
    };

export interface FaultRow {
  readonly name: string;
  /** What happens on the wire, in one line. */
  readonly wire: string;
  /** Absent for `refuse`, which uses a port without a listener (`closedPort` in processes/ports.ts). */
  readonly make?: (sound: Script, asked: Asked) => Faulty;
}

export function row(name: string, wire: string, make?: (sound: Script, asked: Asked) => Faulty): FaultRow {
  return make === undefined ? { name, wire } : { name, wire, make };
}

export function script(
  change: (sound: Script, asked: Asked) => Script,
): (sound: Script, asked: Asked) => Faulty {
  return (sound, asked) => ({ script: change(sound, asked) });
}

export function raw(text: string, ending: "fin" | "rst" | "hang"): () => Faulty {
  return () => ({ raw: Buffer.from(text, "latin1"), ending });
}

export function status(
  code: number,
  type: string,
  errorCode: string | null,
  headers: Record<string, string> = {},
) {
  return script((_, asked) => errorScript(code, type, errorCode, asked, headers));
}
