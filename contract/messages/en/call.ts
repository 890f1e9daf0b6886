/** What a call of the data plane is refused with. */

export const callTexts = {
  "call.bodiesFull":
    "Plaza holds as many bytes of request bodies as it may at the moment. Try again shortly.",
  "call.stopped": "This Plaza process stopped before the answer was complete. Send the request again.",
} as const;
