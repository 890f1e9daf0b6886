/**
 * What an import makes of another gateway's configuration, before it is written: upstreams, models, and what
 * could not come along. Pure.
 */
import type { Operation } from "@plaza/contract/operations.ts";
import type { CatalogPrice } from "../../domain/catalog/model-catalog.ts";
import { type Target, targets } from "../../providers/presets/targets.ts";

/**
 * A credential as the other gateway has it: in variables of the environment, written as in the catalog file
 * (`${NAME}`), or the text itself.
 */
export type DraftSecret = { readonly variables: string } | { readonly text: string };

export interface DraftUpstream {
  readonly id: string;
  readonly target: Target;
  /** Undefined: the target's own. May contain `${VARIABLE}`. */
  readonly baseUrl: string | undefined;
  readonly options: Readonly<Record<string, string>>;
  readonly credentials: readonly DraftSecret[];
}

export interface DraftDeployment {
  readonly upstream: string;
  /** The upstream's name of the model. */
  readonly model: string;
  /** From 1; lower is tried first. */
  readonly priority?: number | undefined;
  readonly weight?: number | undefined;
  /** In the catalog file's words. */
  readonly timeouts?: { readonly total?: string; readonly firstToken?: string } | undefined;
}

export interface DraftModel {
  readonly id: string;
  operations: Operation[];
  deployments: DraftDeployment[];
  fallbacks: string[];
  /** As the other gateway has it; undefined: looked up in the shipped catalog. */
  price: CatalogPrice | undefined;
  /** The name to look it up by, where the deployment's name says nothing. */
  knownAs: string | undefined;
}

/** A key, in the configuration file's words. */
export interface DraftKey {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the secret, in hex. */
  readonly digest: string;
  readonly visiblePrefix: string;
  readonly isActive: boolean;
  readonly models?: readonly string[] | undefined;
  readonly ips?: readonly string[] | undefined;
  readonly limits?: Readonly<Record<string, number>> | undefined;
  readonly budget?: { readonly amount: string; readonly period: "day" | "month" } | undefined;
  readonly expires?: string | undefined;
  /** Labels by which usage is grouped. */
  readonly tags?: readonly string[] | undefined;
}

export interface DraftAccount {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  readonly keys: DraftKey[];
}

/** Something of the other gateway that is not in the new file. */
export interface LeftOut {
  /** Where it was. */
  readonly what: string;
  /** Why, or what to do instead. */
  readonly why: string;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$/;

/** A legal id made of any name. */
function legalId(name: string): string {
  if (idForm.test(name)) return name;
  const dashed = name.normalize("NFKD").replace(/[^A-Za-z0-9._:/@-]+/g, "-");
  return dashed.replace(/^[^A-Za-z0-9]+/, "").slice(0, 128) || "model";
}

/** The target of this id; throws for an unknown one, which would be a mistake in a table. */
export function targetNamed(id: string): Target {
  const target = targets.find((one) => one.id === id);
  if (target === undefined) throw new RangeError(`no target ${id}`);
  return target;
}

export class Draft {
  readonly upstreams: DraftUpstream[] = [];
  readonly models = new Map<string, DraftModel>();
  /** By id. */
  readonly accounts = new Map<string, DraftAccount>();
  readonly leftOut: LeftOut[] = [];

  leave(what: string, why: string): void {
    if (!this.leftOut.some((one) => one.what === what && one.why === why)) this.leftOut.push({ what, why });
  }

  /** The id of the upstream with exactly these values, which is added where there is none. */
  upstream(wanted: Omit<DraftUpstream, "id">, name: string = wanted.target.id): string {
    const text = JSON.stringify({ ...wanted, target: wanted.target.id });
    const same = this.upstreams.find(
      ({ id: _, ...one }) => JSON.stringify({ ...one, target: one.target.id }) === text,
    );
    if (same !== undefined) return same.id;
    const plain = legalId(name);
    let id = plain;
    for (let number = 2; this.upstreams.some((one) => one.id === id); number += 1) id = `${plain}-${number}`;
    this.upstreams.push({ id, ...wanted });
    return id;
  }

  /** The account of this id, which is added where there is none. */
  account(id: string, name: string, isActive = true): DraftAccount {
    const legal = legalId(id);
    let account = this.accounts.get(legal);
    if (account === undefined) {
      account = { id: legal, name: name.slice(0, 200), isActive, keys: [] };
      this.accounts.set(legal, account);
    }
    return account;
  }

  /** The id here of a model of this name, whether it came along or not. */
  idOf(name: string): string {
    return legalId(name);
  }

  /** The model with this name, which is added where there is none. */
  model(name: string): DraftModel {
    const id = legalId(name);
    if (id !== name)
      this.leave(
        `the name "${name}"`,
        `models need an id of letters, digits and . _ : / @ -: it is ${id} here`,
      );
    let model = this.models.get(id);
    if (model === undefined) {
      model = { id, operations: [], deployments: [], fallbacks: [], price: undefined, knownAs: undefined };
      this.models.set(id, model);
    }
    return model;
  }
}
