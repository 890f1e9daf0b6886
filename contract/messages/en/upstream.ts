/** What became of a call to an upstream. */

export const upstreamTexts = {
  "upstream.words": "{text}",
  "upstream.tooLarge": "The upstream rejected the request because it is too large.",
  "upstream.refusedGateway":
    "The upstream that serves this model rejected Plaza's credential or configuration. Contact the operator.",
  "upstream.limiting": "The upstream that serves this model is rate limiting requests. Try again shortly.",
  "upstream.overMinute":
    "This request exceeds the upstream's per-minute limit. Retrying does not help. Send a smaller request.",
  "upstream.overloaded": "The upstream that serves this model is overloaded. Try again shortly.",
  "upstream.contextMax": "This model's maximum context length is {limit} tokens.",
  "upstream.withDetail": "{beginning} {detail}",
  "upstream.shorten": "Shorten the messages, request less output, or choose a model with a larger context.",
  "upstream.changePrompt": "Change the prompt: repeating it gives the same result.",
} as const;
