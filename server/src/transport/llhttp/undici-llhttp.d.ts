/**
 * Types for the two files of undici that `llhttp.ts` loads; the package
 * publishes types for its index only.
 */
declare module "undici/lib/llhttp/constants.js" {
  const constants: { readonly METHODS: Readonly<Record<string, number>> };
  // biome-ignore lint/style/noDefaultExport: this is how the file exports.
  export default constants;
}

declare module "undici/lib/llhttp/llhttp_simd-wasm.js" {
  const wasm: Buffer;
  // biome-ignore lint/style/noDefaultExport: this is how the file exports.
  export default wasm;
}
