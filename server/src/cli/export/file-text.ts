/** `plaza export`: writes catalog and configuration as the text of a file. Pure. */
import type { Catalog, Upstream } from "@plaza/contract/catalog.ts";
import {
  accountFields,
  keyFields,
  settingsFields,
  userFields,
} from "../../domain/configuration/account-fields.ts";
import { modelFields, upstreamFields } from "../../domain/configuration/catalog-fields.ts";
import type { StoredConfiguration } from "../../domain/configuration/shapes.ts";
import { limitFields, type Written, type WrittenFields } from "../../domain/configuration/written.ts";
import { blockLines, flowOf, plainText, type YamlMapping, type YamlValue } from "../connect/yaml.ts";

/** An upstream with its credentials as the file has them: sealed, or as variables. */
export interface ExportedUpstream {
  readonly upstream: Omit<Upstream, "credentials" | "headers">;
  readonly credentials: readonly string[];
  /** By name, the values likewise. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Exported {
  readonly upstreams: readonly ExportedUpstream[];
  readonly catalog: Pick<Catalog, "models" | "limits" | "installation">;
  readonly stored: StoredConfiguration;
  /** False: without the section `users`, which only fits an installation that has these users. */
  readonly hasUsers: boolean;
}

/** Texts as the file has them: a dollar sign begins a variable there. */
function escaped(value: Written): YamlValue {
  if (typeof value === "string") return plainText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Written) => escaped(item));
  return escapedFields(value as WrittenFields);
}

const escapedFields = (fields: WrittenFields): YamlMapping =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, escaped(value)]])),
  );

function listLines(name: string, entries: readonly YamlMapping[]): string[] {
  if (entries.length === 0) return [`${name}: []`];
  return [`${name}:`, ...entries.flatMap((fields) => blockLines({ fields }, 2))];
}

const lineOf = (name: string, fields: WrittenFields | undefined, remark: string): string[] =>
  fields === undefined ? [] : [`${name}: ${flowOf(escapedFields(fields), false)} # ${remark}`];

/** Accounts and keys that can still be used; closed and revoked ones are history. */
function accountEntries({ accounts, keys }: StoredConfiguration): YamlMapping[] {
  const usable = keys.filter(({ status }) => status !== "revoked");
  const byAccount = Map.groupBy(usable, ({ accountId }) => accountId);
  return accounts
    .filter(({ status }) => status !== "closed")
    .map((account) => ({
      ...escapedFields(accountFields(account)),
      keys: (byAccount.get(account.id) ?? []).map((key) => escapedFields(keyFields(key))),
    }));
}

/** The whole file. The same content always gives the same text. */
export function fileText({ upstreams, catalog, stored, hasUsers }: Exported): string {
  const upstreamEntries = upstreams.map(({ upstream, credentials, headers }) => {
    const fields = upstreamFields(upstream, credentials, headers);
    const { credentials: written, headers: added } = fields as {
      credentials?: readonly string[];
      headers?: Readonly<Record<string, string>>;
    };
    // Variables are not escaped, and sealed texts have no dollar signs.
    return {
      ...escapedFields(fields),
      ...(written === undefined ? {} : { credentials: written }),
      ...(added === undefined ? {} : { headers: added }),
    };
  });
  const limits = [
    ...lineOf("limits", limitFields(catalog.limits), "of every account without its own"),
    ...lineOf("installation", limitFields(catalog.installation), "of all accounts together"),
  ];
  const sections: readonly (readonly string[])[] = [
    [
      "# The configuration of this Plaza (docs/operate/config-as-code.md), as plaza export writes it.",
      ...listLines("upstreams", upstreamEntries),
    ],
    listLines(
      "models",
      catalog.models.map((model) => escapedFields(modelFields(model))),
    ),
    limits,
    lineOf("settings", settingsFields(stored.settings), "of the console"),
    [
      "# Balances are not configuration. A key has the digest of its secret, so it keeps working anywhere.",
      ...listLines("accounts", accountEntries(stored)),
    ],
    hasUsers
      ? [
          "# Users are invited in the console; the file only says what they may do.",
          ...listLines(
            "users",
            stored.users.map((user) => escapedFields(userFields(user))),
          ),
        ]
      : [],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}
