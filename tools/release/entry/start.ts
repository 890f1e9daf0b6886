/**
 * Where a released `plaza` begins, the npm package's and the executable's alike. Without a command it serves,
 * also with options of `serve` alone.
 */
const first = process.argv[2];
if (first === undefined || /^--(?!help$|version$)/.test(first)) process.argv.splice(2, 0, "serve");
process.title = ["plaza", ...process.argv.slice(2, 3)].join(" ");
await import("../../../server/src/cli/main.ts");

export {};
