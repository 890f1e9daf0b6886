import assert from "node:assert/strict";
import { test } from "node:test";
import { repeatStoreSettings } from "./with-store.ts";

test("options are repeated as they were given, but for a URL with a password in it", () => {
  assert.equal(repeatStoreSettings({}), "");
  assert.equal(repeatStoreSettings({ data: "my data" }), ' --data "my data"');
  assert.equal(repeatStoreSettings({ database: "sqlite:/var/x.db" }), " --database sqlite:/var/x.db");
  for (const database of [
    "postgres://plaza:hunter2@db/plaza",
    "postgresql:///plaza?host=db&password=hunter2",
  ]) {
    assert.equal(repeatStoreSettings({ database }), ' --database "postgres://…"');
  }
});
