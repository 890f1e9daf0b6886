/** Questions about usage and requests. */

export const usageTexts = {
  "usage.modelUnknown": "The catalog has no model '{model}'.",
  "usage.requestUnknown": "Request not found. A request appears when its response is complete.",
  "usage.endBeforeStart": "The end must be after the start.",
  "usage.before1970": "The period must start in 1970 or later.",
  "usage.daysTooMany": "Select at most {max} days.",
  "usage.rowsTooMany": "The result has more than {max} rows. Select fewer days, models, keys or accounts.",
  "usage.requestsTooMany":
    "The period has more than {max} requests. Select a shorter period, or another grouping.",
  "usage.timeZoneUnknown": '"{zone}" is not a time zone. Use an IANA name, for example Europe/Berlin.',
  "usage.timeZoneOffset":
    "Plaza stores usage by the half hour, which does not match the UTC offset of {zone}. Use UTC.",
} as const;
