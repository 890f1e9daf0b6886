/**
 * Replaces `${NAME}` and `${NAME:-default}` in a text by the environment's values; `$$` is a dollar sign. The
 * environment is a parameter.
 */
import { type Message, message } from "@plaza/contract/messages/message.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export type Expanded =
  | { readonly ok: true; readonly text: string; readonly isChanged: boolean }
  | { readonly ok: false; readonly message: Message };

const nameAndDefault = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/** As in a shell, a default also applies to an empty variable. */
function findValue(name: string, fallback: string | undefined, env: Environment): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return fallback !== undefined && (value === undefined || value === "") ? fallback : value;
}

/** Expands all variables in `text`. Messages name what is missing or malformed, never a value. */
export function expand(text: string, env: Environment): Expanded {
  const missing = new Set<string>();
  let isMalformed = false;
  const expanded = text.replace(/\$\$|\$\{([^}]*)\}?/g, (found, inside: string | undefined) => {
    if (found === "$$") return "$";
    const match = found.endsWith("}") ? nameAndDefault.exec(inside ?? "") : null;
    if (match === null) isMalformed = true;
    const name = match?.[1] ?? "";
    const value = match === null ? "" : findValue(name, match[2], env);
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
  if (isMalformed) return { ok: false, message: message("file.variableForm") };
  const [first, ...others] = missing;
  if (first !== undefined) {
    const example = `\${${first}:-default}`;
    const unset =
      others.length === 0
        ? message("file.variableUnset", { name: first, example })
        : message("file.variablesUnset", { names: [first, ...others].join(", "), example });
    return { ok: false, message: unset };
  }
  return { ok: true, text: expanded, isChanged: expanded !== text };
}
