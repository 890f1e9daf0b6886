/**
 * Names of tools in namespaces as flat names, which is all other formats have, and back. A tool has the same
 * flat name in every request, so that a prompt begins with the same bytes turn by turn.
 */
import { createHash } from "node:crypto";

/** A tool as the caller knows it. */
export interface OwnName {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** Of the formats Plaza writes the shortest limit. */
const nameMax = 64;
const hashLength = 8;

const hashOf = (namespace: string, name: string): string =>
  createHash("sha256").update(`${namespace}\0${name}`).digest("hex").slice(0, hashLength);

function joined(namespace: string, name: string): string {
  const both = `${namespace}${namespace.endsWith("__") ? "" : "__"}${name}`;
  const plain = both.replace(/[^\w-]/g, "_");
  return plain.length > nameMax || plain !== both ? shortened(plain, namespace, name) : plain;
}

const shortened = (plain: string, namespace: string, name: string): string =>
  `${plain.slice(0, nameMax - hashLength - 1)}_${hashOf(namespace, name)}`;

/** The names of one request's tools. */
export class ToolNames {
  readonly #own = new Map<string, OwnName>();
  readonly #flat = new Map<string, string>();

  /** Takes a name that is flat already. False: it is taken. */
  add(name: string): boolean {
    if (this.#own.has(name)) return false;
    this.#own.set(name, { name, namespace: undefined });
    return true;
  }

  /** Takes a name in a namespace; undefined: that tool is there already. */
  addIn(namespace: string, name: string): string | undefined {
    const key = `${namespace}\0${name}`;
    if (this.#flat.has(key)) return undefined;
    const plain = joined(namespace, name);
    const flat = this.#own.has(plain) ? shortened(plain, namespace, name) : plain;
    if (this.#own.has(flat)) return undefined;
    this.#own.set(flat, { name, namespace });
    this.#flat.set(key, flat);
    return flat;
  }

  /** The flat name of a call, also of a tool that is not there any more. */
  flatOf(name: string, namespace: string | undefined): string {
    if (namespace === undefined) return name;
    return this.#flat.get(`${namespace}\0${name}`) ?? joined(namespace, name);
  }

  /** The caller's name of a tool that is called; a name nobody gave is its own. */
  ownOf(flat: string): OwnName {
    return this.#own.get(flat) ?? { name: flat, namespace: undefined };
  }
}
