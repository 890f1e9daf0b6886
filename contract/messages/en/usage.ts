/** Questions about usage and requests. */

export const usageTexts = {
  "usage.modelUnknown": "There is no model '{model}' in the catalog.",
  "usage.requestUnknown": "There is no such request. It is there once its answer is complete.",
  "usage.endBeforeStart": "The end is not after the beginning.",
  "usage.before1970": "There was nothing to count before 1970.",
  "usage.daysTooMany": "At most {max} days can be asked for at once.",
  "usage.rowsTooMany":
    "These are more than {max} rows: ask for fewer days, or for some models, keys or accounts.",
  "usage.timeZoneUnknown": '"{zone}" is not a time zone; give an IANA name like Europe/Berlin',
  "usage.timeZoneOffset":
    "Numbers are kept by the half hour, and the clocks of {zone} differ from UTC by something else. Ask for UTC.",
} as const;
