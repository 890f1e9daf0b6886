/**
 * llhttp's one instance per process: compiles undici's WebAssembly build, claims its memory, and hands out
 * parsers for the connections of callers and of upstreams.
 */
import { setFlagsFromString } from "node:v8";
import { areaBytes, type Callbacks, type Engine, type Exports, type MessageKind } from "./engine.ts";
import { Head } from "./head.ts";
import { MessageParser } from "./parser.ts";
import undici from "./undici-llhttp.cjs";

/** Memory for this many parsers is claimed at the start: WebAssembly memory that grew would move the area. */
const parsersMax = 100_000;
const parserBytesMost = 128;

/**
 * When V8 compiles a function again with its optimizing compiler, roughly in bytes of code run: a hundred
 * times the default, with which one request is enough. All of llhttp is one function, which takes that
 * compiler 50 ms and 23 MB, so a process should have some hundred requests before.
 */
const tieringBudget = 1_300_000_000;

type Span = (parser: number, at: number, length: number) => number;
interface Imports {
  readonly wasm_on_message_begin: (parser: number) => number;
  readonly wasm_on_url: Span;
  readonly wasm_on_status: Span;
  readonly wasm_on_header_field: Span;
  readonly wasm_on_header_value: Span;
  readonly wasm_on_headers_complete: (
    parser: number,
    status: number,
    upgrade: number,
    keepsAlive: number,
  ) => number;
  readonly wasm_on_body: Span;
  readonly wasm_on_message_complete: (parser: number) => number;
}

/** The part of WebAssembly used here; Node's types leave it out. */
interface Assembly {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: { env: Imports }) => { readonly exports: object };
}

const { WebAssembly: assembly } = globalThis as unknown as { WebAssembly: Assembly };

/** The names of the request methods, by llhttp's numbers. */
export const methodNames: readonly string[] = Object.keys(undici.constants.METHODS);

/** One llhttp, and the memory its connections read into. */
export interface Llhttp {
  /** Every socket of the process reads into it; what must outlive the read is copied. */
  readonly area: Buffer;
  /** A parser for one connection. Undefined when there are too many. */
  open(kind: MessageKind): MessageParser | undefined;
}

function importsFor(running: Engine["running"]): Imports {
  const now = () => running.parser as Callbacks;
  return {
    wasm_on_message_begin: () => 0,
    wasm_on_url: (_parser, at, length) => now().onTarget(at, length),
    wasm_on_status: (_parser, at, length) => now().onTarget(at, length),
    wasm_on_header_field: (_parser, at, length) => now().onField(at, length),
    wasm_on_header_value: (_parser, at, length) => now().onValue(at, length),
    wasm_on_headers_complete: (_parser, status, upgrade, keepsAlive) =>
      now().onHead(status, upgrade !== 0, keepsAlive !== 0),
    wasm_on_body: (_parser, at, length) => now().onBody(at, length),
    wasm_on_message_complete: () => now().onComplete(),
  };
}

let shared: Llhttp | undefined;

/** The one instance of this process, for both halves of the transport: 2 ms and 12 MB of addresses, once. */
export function sharedLlhttp(): Llhttp {
  shared ??= createLlhttp();
  return shared;
}

/** Compiles llhttp and claims its memory. */
export function createLlhttp(): Llhttp {
  const running: Engine["running"] = { parser: undefined };
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const module = new assembly.Module(undici.wasm);
  const exports = new assembly.Instance(module, { env: importsFor(running) }).exports as Exports;
  exports._initialize();
  const areaAt = exports.malloc(areaBytes);
  exports.free(exports.malloc(parsersMax * parserBytesMost));
  const memory = exports.memory.buffer;
  const area = Buffer.from(memory, areaAt, areaBytes);
  const found = { hasHead: false, isComplete: false, bodyStart: 0, bodyEnd: 0, consumed: 0 };
  const engine: Engine = { exports, running, area, areaAt, shared: new Head(area), found };
  let opened = 0;
  return {
    area,
    open(kind) {
      if (opened === parsersMax) return undefined;
      opened++;
      const parser = new MessageParser(engine, kind, () => {
        opened--;
      });
      if (exports.memory.buffer !== memory) throw new Error("the parsers' memory was claimed too small");
      return parser;
    },
  };
}
