/** A migration that was released is never edited: databases would differ by the day they were upgraded. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { migrations } from "./index.ts";
import { digestOf } from "./migration.ts";

/** Their beginnings, from migration 1 on. A line never changes once it has landed. */
const frozen = [
  "b4e0399e738679e1",
  "58c4feaf4a7e2537",
  "74bafe3313f1eb70",
  "4536aed811c05ce7",
  "375c0f08b328f576",
  "f2acab866f7c94c3",
  "db507ff23c959f23",
  "3ffbeeab53453e57",
  "5ec4fb325b1dc09a",
  "d199b58669cb1a44",
  "7bd6c3b868b042e9",
  "6bd8dea48f7e9a5e",
  "3d786777dd3cc897",
  "68a9788a5e960486",
  "221d64513f7ed7b5",
  "1a5e733e3b9d9333",
  "81f5e67cee654f3f",
  "6dc95223e85dccd5",
  "787e566f7bf31b92",
  "3db5a85792eaca1d",
  "daee4cf1725a038b",
  "b4975a6336087a3a",
  "f6791c72cce849d5",
  "cc0d6d35e98d4b31",
  "64cedc63d42510db",
  "bf18cc88bd4cdd88",
  "4bbcc81ce1a9b0d3",
  "9229caa1b1f9b622",
  "796e87e970a1d03b",
  "b7a059cf4d7cd1b3",
  "043f48e375eb7484",
  "53f2cab07e71a6d7",
  "cf1934fd0243343a",
  "0581bfb42fd9af75",
  "89cff26b244a5dc2",
  "f99dc9028b947543",
  "da1d24864f79d9a0",
  "2e903b06f696504b",
];

test("every migration has the statements it was frozen with, in both databases", () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 1),
  );
  const digests = migrations.map((migration) =>
    createHash("sha256")
      .update(`${digestOf(migration, "sqlite")} ${digestOf(migration, "postgres")}`)
      .digest("hex")
      .slice(0, 16),
  );
  assert.deepEqual(digests, frozen);
});
