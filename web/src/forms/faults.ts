/** Faults of fields: as a list with paths, and nested as react-hook-form keeps them. Pure. */
import { type FieldErrors, type FieldValues, get, set } from "react-hook-form";
import type { FieldError } from "../api/error.ts";

/** What react-hook-form calls a fault of ours. */
export const faultType = "fault";

/** The first fault of each path, nested. */
export function nestedFaults<Values extends FieldValues>(faults: readonly FieldError[]): FieldErrors<Values> {
  const errors = {};
  for (const fault of faults)
    if (get(errors, fault.path) === undefined) set(errors, fault.path, { type: faultType, ...fault });
  return errors;
}

/** The opposite. A fault's path is its place, which changes when a row above it is removed. */
export function listedFaults(node: unknown, path = ""): readonly FieldError[] {
  if (typeof node !== "object" || node === null) return [];
  if ("type" in node && node.type === faultType) return [{ ...(node as unknown as FieldError), path }];
  return Object.entries(node).flatMap(([name, inner]) =>
    listedFaults(inner, path === "" ? name : `${path}.${name}`),
  );
}

/** True for the path of a field, and of everything in it. */
export const isAtOrBelow = (path: string, field: string): boolean =>
  path === field || path.startsWith(`${field}.`);

/** True when a field on the page shows this fault itself, so that the group around it does not. */
export const isShownBelow = (path: string, field: string, shown: ReadonlySet<string>): boolean =>
  [...shown].some((one) => one !== field && isAtOrBelow(one, field) && isAtOrBelow(path, one));
