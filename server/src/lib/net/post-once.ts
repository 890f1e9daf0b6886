/**
 * A single POST on its own connection, for requests made a few times per hour. Limited in time and size;
 * follows no redirects.
 */
import type { AnswerController, AnswerHandler, HttpCall, HttpClient } from "./http-client.ts";

export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface PostBounds {
  /** Milliseconds until the last byte. */
  readonly answerMs: number;
  readonly bytesMax: number;
}

/** Closes the client. Rejects unless a complete answer arrives within the limits. */
export function postOnce(client: HttpClient, call: HttpCall, bounds: PostBounds): Promise<PostAnswer> {
  let timer: NodeJS.Timeout | undefined;
  return new Promise<PostAnswer>((resolve, reject) => {
    let controller: AnswerController | undefined;
    let status = 0;
    let headers: PostAnswer["headers"] = {};
    let bytes = 0;
    const chunks: Buffer[] = [];
    timer = setTimeout(() => {
      controller?.abort(new Error("no answer in time"));
      reject(new Error("no answer in time"));
    }, bounds.answerMs);
    const handler: AnswerHandler = {
      onRequestStart(given) {
        controller = given;
      },
      onResponseStart(_controller, given, givenHeaders) {
        status = given;
        headers = givenHeaders;
      },
      onResponseData(_controller, chunk) {
        bytes += chunk.length;
        if (bytes > bounds.bytesMax) controller?.abort(new Error("the answer is too large"));
        else chunks.push(Buffer.from(chunk));
      },
      onResponseEnd() {
        resolve({ status, headers, body: Buffer.concat(chunks).toString("utf8") });
      },
      onResponseError(_controller, error) {
        reject(error);
      },
    };
    client.post(call, handler);
  }).finally(() => {
    clearTimeout(timer);
    void client.close();
  });
}
