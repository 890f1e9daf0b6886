/**
 * Adds the names that are new to tools/names/public-names.txt. Those that are gone stay in it, so that its
 * test goes on failing: they are taken out by hand, once what relied on them has another way. `npm run names`
 */
import { collectNames, readList, writeList } from "./names/collect.ts";

const listed = readList();
const present = await collectNames();
writeList([...new Set([...listed, ...present])].toSorted());
const added = present.filter((name) => !listed.includes(name));
const gone = listed.filter((name) => !present.includes(name));
process.stdout.write(`${added.length} added; ${gone.length} listed but gone\n`);
for (const name of gone) process.stdout.write(`  gone: ${name}\n`);
