/** Which text a key gives: plural forms, values, and English for what a language lacks. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineMessages, type Messages, type Shown, translate } from "./messages.ts";

const messages: Messages = defineMessages("rows", {
  title: "Rows of {{name}}",
  rows_one: "{{count}} row",
  rows_other: "{{count}} rows",
  late: "Only English",
});
const english: Shown = { locale: "en-US", texts: {} };

test("a count chooses the plural of the language", () => {
  assert.equal(translate(messages, english, "rows", { count: 1 }), "1 row");
  assert.equal(translate(messages, english, "rows", { count: 0 }), "0 rows");
  const chinese: Shown = { locale: "zh-CN", texts: { rows: { rows_other: "{{count}} 行" } } };
  assert.equal(translate(messages, chinese, "rows", { count: 1 }), "1 行");
  const polish: Shown = {
    locale: "pl-PL",
    texts: { rows: { rows_one: "wiersz", rows_few: "{{count}} wiersze", rows_other: "{{count}} wierszy" } },
  };
  assert.equal(translate(messages, polish, "rows", { count: 3 }), "3 wiersze");
  assert.equal(translate(messages, polish, "rows", { count: 5 }), "5 wierszy");
  assert.equal(translate(messages, english, "rows", { count: 12_345 }), "12,345 rows");
});

test("values are put in as they are, once, and an unknown one stays to be seen", () => {
  assert.equal(translate(messages, english, "title", { name: "$& {{count}}" }), "Rows of $& {{count}}");
  assert.equal(translate(messages, english, "title"), "Rows of {{name}}");
  assert.equal(translate(messages, english, "title", { constructor: "x" } as never), "Rows of {{name}}");
});

test("what a language lacks is in English, and what English lacks is its key", () => {
  const empty: Shown = { locale: "ja-JP", texts: { rows: {} } };
  assert.equal(translate(messages, empty, "late"), "Only English");
  assert.equal(translate(messages, empty, "rows", { count: 1 }), "1 row");
  assert.equal(translate(messages, empty, "toString"), "toString");
});
