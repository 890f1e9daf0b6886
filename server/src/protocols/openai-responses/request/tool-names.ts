/**
 * Converts names of tools in namespaces to flat names, the only kind other formats have, and back. A tool has
 * the same flat name in every request, so that prompts start with the same bytes turn by turn.
 */
import { createHash } from "node:crypto";
import type { CallerTool } from "./caller-tools.ts";

/** A tool under the caller's name. */
export interface OwnName {
  readonly name: string;
  readonly namespace: string | undefined;
  /** Set for a tool of OpenAI's own type, which has no name but its type. */
  readonly callerTool?: CallerTool;
}

/** The shortest limit among the formats Plaza writes. */
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

  /** Adds a name without a namespace. Returns false when it is taken. */
  add(name: string): boolean {
    if (this.#own.has(name)) return false;
    this.#own.set(name, { name, namespace: undefined });
    return true;
  }

  /** Adds a tool under its type. Returns false when that name is taken. */
  addCallerTool(tool: CallerTool): boolean {
    if (this.#own.has(tool.type)) return false;
    this.#own.set(tool.type, { name: tool.type, namespace: undefined, callerTool: tool });
    return true;
  }

  /** Adds a name in a namespace; returns undefined when that tool already exists. */
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

  /** The name of the tool of this type, where the request has it. */
  callerToolNamed(type: unknown): string | undefined {
    const own = typeof type === "string" ? this.#own.get(type) : undefined;
    return own?.callerTool === undefined ? undefined : own.name;
  }

  /** The flat name of a call, including calls of tools that no longer exist. */
  flatOf(name: string, namespace: string | undefined): string {
    if (namespace === undefined) return name;
    return this.#flat.get(`${namespace}\0${name}`) ?? joined(namespace, name);
  }

  /** The caller's name of a called tool; an unknown name stays as it is. */
  ownOf(flat: string): OwnName {
    return this.#own.get(flat) ?? { name: flat, namespace: undefined };
  }
}
