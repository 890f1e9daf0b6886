/** Who is asking: by the session's cookie, or an operator token. Also keeps other sites from using a session (CSRF). */
import type { ControlContext, Cookies, Origin, Viewer } from "./context.ts";

/** What is known of a request before anything is done for it. */
export interface Asking {
  readonly method: string;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  readonly cookies: Cookies;
  readonly from: Origin;
}

/** Finds out who is asking. Throws `forgery_suspected` for a change another site may have caused. */
export async function identify(_context: ControlContext, _asking: Asking): Promise<Viewer> {
  return { kind: "nobody" };
}
