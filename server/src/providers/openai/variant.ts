/** OpenAI's protocol for one service: adapts its requests and answers to that service's deviations. */

import { bodyWith } from "../named-edits.ts";
import type { HttpCodec, HttpProvider } from "../provider.ts";
import { createAnswerTranslation } from "./adapt-answer.ts";
import { adaptRequest, compileRules, rulesFor } from "./adapt-request.ts";
import { chatPath, editsOf, encodeChat, headersFor } from "./encode.ts";
import type { Deviations } from "./rules.ts";
import { speakChat } from "./speak-chat.ts";

/** Called once per upstream. `plain`: the protocol without deviations. */
export function createVariant(plain: HttpProvider, { request, answer }: Deviations): HttpProvider {
  const compiled = request === undefined ? undefined : compileRules(request);
  const codec: HttpCodec = {
    encode: encodeChat,
    ...(compiled === undefined
      ? {}
      : {
          isPicky: true,
          encode(asked, upstream, credential, model) {
            const { edits, request: left, dropped } = adaptRequest(asked, rulesFor(compiled, model));
            return {
              path: chatPath(upstream.baseUrl),
              headers: headersFor(credential, asked.isStream),
              body: bodyWith(asked.body, [...editsOf(left, upstream, model), ...edits]),
              ...(dropped === undefined ? {} : { dropped }),
            };
          },
        }),
  };
  const answers = answer === undefined ? undefined : createAnswerTranslation(answer);
  return { ...plain, formats: [speakChat({ codec, answers, rules: request })] };
}
