/** Names of the variables that stand for credentials in an exported file. Pure. */

/** The variable of one credential, or of the value of one header. */
export interface CredentialVariable {
  readonly upstream: string;
  readonly variable: string;
  /** Absent for a credential. */
  readonly header?: string;
}

const stemOf = (id: string): string => `UPSTREAM_${id.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;

/** Headers whose names differ only in signs get a number. */
function headerVariables(upstream: string, stem: string, headers: readonly string[]): CredentialVariable[] {
  const taken = new Set<string>();
  return headers.map((header) => {
    const plain = `${stem}_HEADER_${header.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}`;
    let variable = plain;
    for (let number = 2; taken.has(variable); number += 1) variable = `${plain}_${number}`;
    taken.add(variable);
    return { upstream, variable, header };
  });
}

/**
 * One for each credential, like `UPSTREAM_MAIN_KEY_1`, and for each header, like
 * `UPSTREAM_MAIN_HEADER_X_TEAM`; upstreams whose ids differ only in signs get a number.
 */
export function variablesOf(
  upstreams: readonly {
    readonly id: string;
    readonly credentials: number;
    readonly headers: readonly string[];
  }[],
): CredentialVariable[] {
  const taken = new Set<string>();
  return upstreams.flatMap(({ id, credentials, headers }) => {
    let stem = stemOf(id);
    for (let number = 2; taken.has(stem); number += 1) stem = `${stemOf(id)}_${number}`;
    taken.add(stem);
    const keys = Array.from({ length: credentials }, (_, index) => ({
      upstream: id,
      variable: `${stem}_KEY_${index + 1}`,
    }));
    return [...keys, ...headerVariables(id, stem, headers)];
  });
}
