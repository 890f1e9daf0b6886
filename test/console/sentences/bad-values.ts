/** Invalid values for the API's schemas: every kind of error, at every depth. For tests. */
import type { z } from "zod";
import { faultMessage } from "../../../contract/api/fault.ts";
import type { Message } from "../../../contract/messages/message.ts";

const depthMax = 8;

/** Invalid for nearly every field: empty, long, out of range, of another type. */
const wrong: readonly unknown[] = [
  ...["", "x".repeat(30_000), "?", "a\u0000b", "-1", "1e5", "9".repeat(26), "2026-13-45"],
  ...[5, 0, -1, 1.5, 1e18, true, null, undefined, {}, [], ["?"]],
  Array.from({ length: 6_000 }, () => "x"),
];

interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
}

/** Objects with all fields invalid, each with another invalid value per field. */
function badObjects(shape: Readonly<Record<string, z.ZodType>>, depth: number): unknown[] {
  const fields = Object.entries(shape).map(([name, schema]) => [name, badValues(schema, depth)] as const);
  const most = Math.max(0, ...fields.map(([, values]) => values.length));
  return Array.from({ length: most }, (_, index) =>
    Object.fromEntries(fields.map(([name, values]) => [name, values[index % values.length]])),
  );
}

/** Values for a schema, nearly all invalid. */
export function badValues(schema: z.ZodType, depth = 0): unknown[] {
  const definition = schema.def as unknown as Definition;
  const { shape, element, valueType, innerType, options = [] } = definition;
  if (depth > depthMax) return [...wrong];
  const below = (inner: z.ZodType) => badValues(inner, depth + 1);
  if (shape !== undefined) return [null, 5, ...badObjects(shape, depth + 1)];
  if (element !== undefined) return [...wrong, ...below(element).map((value) => [value])];
  if (valueType !== undefined) return [...wrong, ...below(valueType).map((value) => ({ k: value }))];
  if (innerType !== undefined) return below(innerType);
  if (definition.in !== undefined && definition.out !== undefined)
    return [...below(definition.in), ...below(definition.out)];
  return [...wrong, ...options.flatMap(below)];
}

/** The schema's error messages for these values, including those of union members. */
export function faultsOf(schema: z.ZodType, values: readonly unknown[]): Message[] {
  const said: Message[] = [];
  const note = (issue: z.core.$ZodIssue): void => {
    said.push(faultMessage(issue));
    if (issue.code === "invalid_union") for (const one of issue.errors.flat()) note(one);
  };
  for (const value of values) for (const issue of schema.safeParse(value).error?.issues ?? []) note(issue);
  return said;
}
