/** Types for `undici-llhttp.cjs`: undici publishes types for its index only. */
declare const llhttp: {
  readonly constants: { readonly METHODS: Readonly<Record<string, number>> };
  /** llhttp, compiled to WebAssembly with SIMD. */
  readonly wasm: Buffer;
};
export = llhttp;
