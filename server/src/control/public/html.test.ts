import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeText, jsonInScript } from "./html.ts";

test("text stays text, in elements, in attributes and in XML", () => {
  assert.equal(
    escapeText(`</title><script>alert('1')</script> & "so" on`),
    "&lt;/title&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;so&quot; on",
  );
  assert.equal(escapeText("a\u0000b\u001bc\ud800d\ufffee 模型 😀\n"), "abcde 模型 😀\n");
});

test("JSON in a script element reads as the same value, and cannot end the element", () => {
  const value = { name: "</script><!--<script>&amp;\u2028\u2029", list: ["é", null, 1] };
  const text = jsonInScript(value);
  assert.doesNotMatch(text, /[<>&\u2028\u2029]/);
  assert.deepEqual(JSON.parse(text), value);
});
