/**
 * The two files of undici that `llhttp.ts` uses, in an object. Imported by itself the WebAssembly is a Buffer
 * that a build takes for a module: it would define a property for each of its 54,202 bytes, 20 MB in all.
 */
module.exports = {
  constants: require("undici/lib/llhttp/constants.js"),
  wasm: require("undici/lib/llhttp/llhttp_simd-wasm.js"),
};
