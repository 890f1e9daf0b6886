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
  "body.empty": "The body is empty; it must be a JSON object.",
  "body.notJsonAt": "The body is not valid JSON: unexpected character or end at byte {at}.",
  "body.notObject": "The body must be a JSON object.",
  "body.fieldTwice": "The field '{name}' occurs twice; send it once.",
  "body.fieldMissing": "The required field '{name}' is missing.",
  "body.fieldMisspelt":
    "Write the field name '{name}' exactly so: in these letters, their case and without escapes.",
  "body.notNumber": "'{path}' must be a number.",
  "body.tooLargeNumber": "'{path}' must be at most {max}.",
  "body.fieldTooDeep": "'{name}' lies too deep.",
  "body.fieldTooLong": "'{path}' must hold at most {max} bytes.",
  "body.compressed": "This installation does not accept compressed bodies: leave out Content-Encoding.",
  "body.otherCoding":
    "This Content-Encoding is not accepted: compress the body once, with gzip or zstd, or not at all.",
  "body.behindEnd": "The body is not valid {coding}: something comes behind its end.",
  "body.unpacksTooLarge":
    "The compressed body unpacks to more than {max} times its size; this installation does not accept that.",
  "body.endsEarly": "The body is not valid {coding}: it ends too early.",
  "body.notUnpacked": "The body is not valid {coding}: it cannot be unpacked.",
  "body.windowTooLarge":
    "The body was compressed with a window of more than 8 MiB. Use a lower level of zstd, without --ultra and --long.",
  "body.notJsonType": "The body must be JSON: send the header Content-Type: application/json.",
  "body.largerThan": "The request body is larger than this installation accepts ({max} bytes).",
  "body.otherKind":
    "'{name}' must be {shown:messages=an array of messages|boolean=true or false|string=a string|modelIds=an array of model ids|number=a number|object=an object}, not {kind}.",
} as const;
