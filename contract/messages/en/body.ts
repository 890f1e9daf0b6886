/** Faults of a request's body and head. */

export const bodyTexts = {
  "body.notJson": "The body is not valid JSON.",
  "body.tooLarge": "The body may have {max} bytes at most.",
  "body.notUtf8": "The body is not valid UTF-8.",
  "body.cutOff": "The request ended before its body did.",
  "body.tooDeep":
    "The body is nested deeper than {max} levels (at byte {at}); this installation does not accept that.",
  "body.tooManyValues":
    "The body is made of more than {max} values (at byte {at}); this installation does not accept that.",
} as const;
