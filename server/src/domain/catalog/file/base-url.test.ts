/** Which base URLs an operator may enter for an upstream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogFile } from "../file.ts";

const providers = [{ id: "openai", needs: { baseUrl: true, credentials: false } }];

function read(baseUrl: string) {
  const text = JSON.stringify({ upstreams: [{ id: "main", provider: "openai", baseUrl }], models: [] });
  return readCatalogFile(text, { env: {}, fileName: "plaza.yaml", providers });
}

test("http and https, with the path as written but for slashes at its end", () => {
  const good: [string, string][] = [
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://api.example.com/v1//", "https://api.example.com/v1"],
    ["http://127.0.0.1:9000", "http://127.0.0.1:9000"],
    ["http://[::1]:9000/v1", "http://[::1]:9000/v1"],
    ["HTTPS://API.Example.COM:443/v1", "https://api.example.com/v1"],
    ["https://api.example.com/a/../v1", "https://api.example.com/v1"],
    ["https://api.example.com/v1%0d%0aX", "https://api.example.com/v1%0d%0aX"],
  ];
  for (const [given, wanted] of good) {
    const result = read(given);
    assert.ok(result.ok, given);
    assert.equal(result.catalog.upstreams[0]?.baseUrl, wanted);
  }
});

test("everything else is refused, without showing a password", () => {
  const bad = [
    "api.example.com/v1",
    "/v1",
    "//api.example.com/v1",
    "ftp://api.example.com/v1",
    "file:///etc/passwd",
    "unix:/run/docker.sock",
    "ws://api.example.com/v1",
    "javascript:1",
    "data:text/plain,x",
    "https://user@api.example.com/v1",
    "https://user:sk-leak@api.example.com/v1",
    "https://:sk-leak@api.example.com/v1",
    "https://api.example.com/v1?key=1",
    "https://api.example.com/v1?",
    "https://api.example.com/v1#part",
    "https://api.example.com/v1#",
    "https://api.example.com#@evil.example/v1",
    "https://api.example.com/v1 ",
    "https://api.exa mple.com/v1",
    "https://api.example.com/v1\r\nx: y",
    "https://api.example.com\t/v1",
    "https://",
    "https://[::1/v1",
    "https://api.example.com:99999/v1",
  ];
  for (const given of bad) {
    const result = read(given);
    assert.ok(!result.ok, given);
    assert.doesNotMatch(JSON.stringify(result), /sk-leak/);
  }
});
