/** The one error shape of the API, as the console sees it. Knows no page. */
import type { MessageRef } from "../i18n/server-text.ts";

/** What is wrong with one field of a form; the id is the server's, for other languages. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  readonly id?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * An answer that is an error, or no answer at all: then `status` is 0, `code` is `network_lost` or
 * `page_not_loaded`, and the console has texts for these codes in each language (`ui/states.tsx`).
 */
export class ApiError extends Error {
  readonly code: string;
  /** The id of `message`; null when the server sent none. */
  readonly messageRef: MessageRef | null;
  readonly status: number;
  readonly fields: readonly FieldError[];
  readonly param: string | null;
  /** For a report; null without an answer. */
  readonly requestId: string | null;
  /** How long to wait before trying again, when the server says. */
  readonly retryAfterMs: number | null;

  constructor(parts: {
    code: string;
    /** What the server said; absent when it said nothing. */
    message?: string;
    messageRef?: MessageRef | null;
    status: number;
    fields?: readonly FieldError[];
    param?: string | null;
    requestId?: string | null;
    retryAfterMs?: number | null;
  }) {
    super(parts.message ?? parts.code);
    this.name = "ApiError";
    this.code = parts.code;
    this.messageRef = parts.messageRef ?? null;
    this.status = parts.status;
    this.fields = parts.fields ?? [];
    this.param = parts.param ?? null;
    this.requestId = parts.requestId ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

/** True for the error of that code. */
export function isApiError(thrown: unknown, code?: string): thrown is ApiError {
  return thrown instanceof ApiError && (code === undefined || thrown.code === code);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The id and params of a Plaza message. */
export function messageRefOf({ id, params }: Record<string, unknown>): MessageRef | null {
  if (typeof id !== "string") return null;
  return isRecord(params) ? { id, params } : { id };
}

function fieldsOf(given: unknown): FieldError[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((field: unknown): FieldError[] => {
    if (!isRecord(field) || typeof field["path"] !== "string" || typeof field["message"] !== "string")
      return [];
    return [{ path: field["path"], message: field["message"], ...messageRefOf(field) }];
  });
}

function waitOf(headers: Headers): number | null {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact)) return exact;
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

/** Reads an answer that is not a success; what is not our shape still becomes an ApiError. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const body: unknown = await answer.json().catch(() => undefined);
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
  return new ApiError({
    code: typeof error["code"] === "string" ? error["code"] : "unreadable_answer",
    message: typeof error["message"] === "string" ? error["message"] : `HTTP ${answer.status}`,
    messageRef: messageRefOf(error),
    status: answer.status,
    fields: fieldsOf(error["fields"]),
    param: typeof error["param"] === "string" ? error["param"] : null,
    requestId: answer.headers.get("x-request-id"),
    retryAfterMs: waitOf(answer.headers),
  });
}
