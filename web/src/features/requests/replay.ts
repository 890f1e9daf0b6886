/**
 * A request again, from what is known of it: as a call to paste, and as a link to the playground. Plaza
 * stores no prompts, so a placeholder stands for it. Pure.
 */

import type { Operation } from "@plaza/contract/operations.ts";
import { pageTo } from "../../shell/page-search.ts";
import { codeSample, isStreamed } from "../playground/code/code-samples.ts";
import { type SampleOperation, sampleOperationOf } from "../playground/code/sample-operations.ts";

/** What it reads of a request. */
export interface ReplayedRequest {
  readonly id: string;
  readonly model: string | null;
  readonly operation: Operation;
  readonly keyId: string;
  readonly isStream: boolean;
}

/** What stands for the prompt. */
export interface ReplayWords {
  readonly prompt: string;
  /** A comment above the call. */
  readonly note: string;
}

function bodyOf(operation: SampleOperation, prompt: string): Record<string, unknown> {
  if (operation === "embeddings") return { input: prompt };
  if (operation === "completion") return { prompt };
  return { messages: [{ role: "user", content: prompt }] };
}

/** The call for a shell, the key as `$PLAZA_API_KEY`; undefined when there is no sample for its operation. */
export function curlOf(request: ReplayedRequest, baseUrl: string, words: ReplayWords): string | undefined {
  const operation = sampleOperationOf([request.operation]);
  if (operation === undefined || request.model === null) return undefined;
  const isStream = request.isStream && isStreamed(operation);
  const body = {
    model: request.model,
    ...bodyOf(operation, words.prompt),
    ...(isStream ? { stream: true } : {}),
  };
  return `# ${words.note.replaceAll(/\s+/g, " ")}\n${codeSample("curl", { operation, baseUrl, body })}`;
}

/** The playground with its model and what else is known; undefined when the playground cannot call it. */
export function playgroundLink(request: ReplayedRequest, isOwnKey: boolean): string | undefined {
  if (request.operation !== "chat" || request.model === null) return undefined;
  return pageTo("/playground", {
    model: [request.model],
    ...(isOwnKey ? { key: request.keyId } : {}),
    stream: request.isStream ? "1" : "0",
    replay: request.id,
  });
}
