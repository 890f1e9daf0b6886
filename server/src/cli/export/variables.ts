/** Names of the variables that stand for credentials in an exported file. Pure. */

/** The variable of one credential. */
export interface CredentialVariable {
  readonly upstream: string;
  readonly variable: string;
}

const stemOf = (id: string): string => `UPSTREAM_${id.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;

/**
 * One for each credential, like `UPSTREAM_MAIN_KEY_1`; upstreams whose ids differ only in signs get a number.
 */
export function variablesOf(
  upstreams: readonly { readonly id: string; readonly credentials: number }[],
): CredentialVariable[] {
  const taken = new Set<string>();
  return upstreams.flatMap(({ id, credentials }) => {
    let stem = stemOf(id);
    for (let number = 2; taken.has(stem); number += 1) stem = `${stemOf(id)}_${number}`;
    taken.add(stem);
    return Array.from({ length: credentials }, (_, index) => ({
      upstream: id,
      variable: `${stem}_KEY_${index + 1}`,
    }));
  });
}
