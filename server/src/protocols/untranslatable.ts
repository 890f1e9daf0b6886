/** A chat request that a protocol cannot express, or that makes no sense in any: said by name, never by a crash. */

export class Untranslatable extends Error {
  /** `unsupported_parameter`: this protocol cannot say it, another may. `invalid_request`: it is wrong everywhere. */
  readonly code: "unsupported_parameter" | "invalid_request";
  /** Path of the field, like `messages[0].content[1].image_url.url`. */
  readonly param: string;

  constructor(code: Untranslatable["code"], param: string, message: string) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

/** The request is wrong: it would fail everywhere. */
export const invalid = (param: string, message: string): Untranslatable =>
  new Untranslatable("invalid_request", param, message);

/** This protocol cannot say it. */
export const unsupported = (param: string, message?: string): Untranslatable =>
  new Untranslatable(
    "unsupported_parameter",
    param,
    message ??
      `'${param}' cannot be expressed for this model's upstream. Leave it out, or send x-plaza-drop-params: true.`,
  );
