/** What became of a call to an upstream. */

export const upstreamTexts = {
  "upstream.words": "{text}",
  "upstream.tooLarge": "The upstream refused the request as too large.",
  "upstream.refusedGateway":
    "The upstream that serves this model refused the gateway. The operator has to look at it.",
  "upstream.limiting": "The upstream that serves this model is limiting requests. Try again shortly.",
  "upstream.overMinute":
    "This request is larger than the upstream takes in a minute. Waiting does not help; send less.",
  "upstream.overloaded": "The upstream that serves this model is overloaded. Try again shortly.",
  "upstream.contextMax": "This model's maximum context length is {limit} tokens.",
  "upstream.withDetail": "{beginning} {detail}",
  "upstream.shorten": "Shorten the messages, ask for less output, or choose a model with a larger context.",
  "upstream.changePrompt": "Change the prompt: repeating it gives the same answer.",
} as const;
