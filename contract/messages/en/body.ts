/** Faults of a request's body and head. */

export const bodyTexts = {
  "body.notJson": "The body is not valid JSON.",
  "body.tooLarge": "The body must have at most {max} bytes.",
  "body.notUtf8": "The body is not valid UTF-8.",
  "body.cutOff": "The connection ended before the complete body arrived.",
  "body.tooDeep":
    "The body is nested deeper than {max} levels (at byte {at}), the limit of this installation.",
  "body.tooManyValues":
    "The body contains more than {max} values (at byte {at}), the limit of this installation.",
  "body.empty": "The body is empty; it must be a JSON object.",
  "body.notJsonAt": "The body is not valid JSON: unexpected character or end at byte {at}.",
  "body.notObject": "The body must be a JSON object.",
  "body.fieldTwice": "The field '{name}' occurs twice. Send it once.",
  "body.fieldMissing": "The required field '{name}' is missing.",
  "body.fieldMisspelt":
    "Write the field name '{name}' exactly like this, in the same case and without escapes.",
  "body.notNumber": "'{path}' must be a number.",
  "body.tooLargeNumber": "'{path}' must be at most {max}.",
  "body.fieldTooDeep": "'{name}' is nested too deeply.",
  "body.fieldTooLong": "'{path}' must be at most {max} bytes.",
  "body.compressed":
    "This installation does not accept compressed bodies. Remove the Content-Encoding header.",
  "body.otherCoding":
    "Unsupported Content-Encoding. Compress the body once with gzip or zstd, or send it uncompressed.",
  "body.behindEnd": "The body is not valid {coding}: unexpected data after its end.",
  "body.unpacksTooLarge":
    "The compressed body decompresses to more than {max} times its size, the limit of this installation.",
  "body.endsEarly": "The body is not valid {coding}: it is incomplete.",
  "body.notUnpacked": "The body is not valid {coding}: decompression failed.",
  "body.windowTooLarge":
    "The body was compressed with a window larger than 8 MiB. Use a lower zstd level, without --ultra and --long.",
  "body.notJsonType": "The body must be JSON. Send the header Content-Type: application/json.",
  "body.largerThan": "The request body exceeds the limit of this installation ({max} bytes).",
  "body.otherKind":
    "'{name}' must be {shown:messages=an array of messages|boolean=true or false|string=a string|modelIds=an array of model ids|number=a number|object=an object|array=an array}, not {kind}.",
} as const;
