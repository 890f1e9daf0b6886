/**
 * Adds new names to tools/names/public-names.txt. Removed names stay in it, so that its test fails until they
 * are removed by hand, once users have a replacement. `npm run names`
 */
import { collectNames, readList, writeList } from "./names/collect.ts";

const listed = readList();
const present = await collectNames();
writeList([...new Set([...listed, ...present])].toSorted());
const added = present.filter((name) => !listed.includes(name));
const gone = listed.filter((name) => !present.includes(name));
process.stdout.write(`${added.length} added; ${gone.length} listed but gone\n`);
for (const name of gone) process.stdout.write(`  gone: ${name}\n`);
