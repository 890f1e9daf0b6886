/** What to do about each fault of a call: the word that says it, and the page that helps. Knows no React. */
import type { playgroundMessages } from "../../../i18n/en/pages/playground.ts";
import type { KeyOf } from "../../../i18n/messages.ts";
import type { CallFault } from "../endpoint.ts";

type Word = KeyOf<typeof playgroundMessages>;

/** What to say, and where to go. */
interface Advice {
  readonly word: Word;
  readonly link: { readonly to: string; readonly word: Word } | null;
}

const own = new Set<string>([
  "account_suspended",
  "context_length_exceeded",
  "unsupported_parameter",
  "invalid_request",
  "request_too_large",
  "content_filter",
  "rate_limit_exceeded",
  "network_lost",
  "cut_off",
  "unreadable_answer",
]);

const keyCodes = new Set([
  "model_not_allowed",
  "ip_not_allowed",
  "invalid_api_key",
  "api_key_expired",
  "api_key_disabled",
]);

/** The advice for a fault of a call made with this key. */
export function adviceFor({ code, status }: Pick<CallFault, "code" | "status">, keyId: string): Advice {
  const keyLink = { to: `/keys/${encodeURIComponent(keyId)}`, word: "do.key" } as const;
  if (code === "insufficient_balance") {
    return { word: "fault.insufficient_balance", link: { to: "/billing", word: "do.billing" } };
  }
  if (code === "budget_exceeded") return { word: "fault.budget_exceeded", link: keyLink };
  if (keyCodes.has(code)) return { word: "fault.key", link: keyLink };
  if (code === "model_not_found")
    return { word: "fault.model_not_found", link: { to: "/models", word: "do.models" } };
  if (own.has(code)) return { word: `fault.${code}` as Word, link: null };
  if (status >= 500 || code === "upstream_error") return { word: "fault.upstream", link: null };
  if (status === 400) return { word: "fault.invalid_request", link: null };
  return { word: "fault.other", link: null };
}
