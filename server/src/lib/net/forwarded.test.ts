import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetwork } from "./address.ts";
import { createSenderOf, senderAddress } from "./forwarded.ts";

const networks = (...texts: string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);
const none = networks();
const proxies = networks("10.0.0.0/8", "fd00::/8");

test("without a trusted proxy the peer is the sender, whatever the header says", () => {
  assert.equal(senderAddress("203.0.113.7", undefined, none), "203.0.113.7");
  assert.equal(senderAddress("203.0.113.7", "198.51.100.1", none), "203.0.113.7");
  assert.equal(senderAddress("203.0.113.7", "10.1.1.1, 198.51.100.1", proxies), "203.0.113.7");
  assert.equal(senderAddress("10.0.0.1", undefined, proxies), "10.0.0.1");
});

test("through trusted proxies it is the right-most address that is not one of them", () => {
  const cases: [header: string, sender: string][] = [
    ["198.51.100.1", "198.51.100.1"],
    ["1.2.3.4, 198.51.100.1", "198.51.100.1"],
    ["1.2.3.4, 198.51.100.1, 10.2.0.1,10.3.0.1", "198.51.100.1"],
    ["10.9.9.9, 10.2.0.1", "10.9.9.9"],
    ["127.0.0.1, 203.0.113.9", "203.0.113.9"],
    ["2001:db8::7, fd00::1", "2001:db8::7"],
  ];
  for (const [header, sender] of cases)
    assert.equal(senderAddress("10.0.0.1", header, proxies), sender, header);
});

test("a hop is read as proxies write it", () => {
  const cases: [header: string, sender: string][] = [
    ["198.51.100.1:52100", "198.51.100.1"],
    ["[2001:db8::7]:443", "2001:db8::7"],
    ["[2001:db8::7]", "2001:db8::7"],
    ["2001:DB8:0:0:0:0:0:7", "2001:db8::7"],
    ["::ffff:198.51.100.1", "198.51.100.1"],
    ["  198.51.100.1  ", "198.51.100.1"],
  ];
  for (const [header, sender] of cases)
    assert.equal(senderAddress("10.0.0.1", header, proxies), sender, header);
});

test("what is no address ends the search at the proxy that passed it on", () => {
  for (const header of [
    "unknown",
    "",
    "_hidden",
    "1.2.3",
    "1.2.3.4.5",
    "999.1.1.1",
    "1.2.3.4, secret",
    "<script>",
  ]) {
    assert.equal(senderAddress("10.0.0.1", header, proxies), "10.0.0.1", header);
  }
  assert.equal(senderAddress("10.0.0.1", "1.2.3.4, nonsense, 10.5.0.1", proxies), "10.5.0.1");
});

test("one address has one text", () => {
  assert.equal(senderAddress("::ffff:203.0.113.7", undefined, none), "203.0.113.7");
  assert.equal(senderAddress("::1", undefined, none), "::1");
  assert.equal(senderAddress("::", undefined, none), "::");
  assert.equal(senderAddress("fe80::1%eth0", undefined, none), "fe80::1");
  assert.equal(senderAddress("2001:db8:0:0:1:0:0:1", undefined, none), "2001:db8::1:0:0:1");
  assert.equal(senderAddress("::ffff:10.0.0.1", "198.51.100.1", proxies), "198.51.100.1");
});

test("a connection without an address has none, and is no proxy", () => {
  assert.equal(senderAddress(undefined, "198.51.100.1", networks("0.0.0.0/0", "::/0")), "");
  assert.equal(createSenderOf(none)({ peerAddress: undefined, headers: {} }), "");
});

test("a request tells its header, also where it came more than once", () => {
  const peerAddress = "10.0.0.1";
  const sent = (value: string | string[]) => ({ peerAddress, headers: { "x-forwarded-for": value } });
  assert.equal(createSenderOf(proxies)(sent("198.51.100.1")), "198.51.100.1");
  assert.equal(createSenderOf(proxies)(sent(["1.1.1.1", "198.51.100.1"])), "198.51.100.1");
});

test("the address of a connection's other end is read once; a header is read each time", () => {
  const senderOf = createSenderOf(proxies);
  const from = (peerAddress: string, forwardedFor?: string) =>
    senderOf({ peerAddress, headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor } });
  for (let time = 0; time < 2; time += 1) {
    assert.equal(from("::ffff:10.0.0.1"), "10.0.0.1");
    assert.equal(from("10.0.0.1", "198.51.100.1"), "198.51.100.1");
    assert.equal(from("10.0.0.1", "198.51.100.2"), "198.51.100.2");
    assert.equal(from("203.0.113.7", "198.51.100.1"), "203.0.113.7");
  }
  // More of them than are kept.
  for (let peer = 0; peer < 3_000; peer += 1) {
    const address = `192.0.${peer >> 8}.${peer & 255}`;
    assert.equal(from(`::ffff:${address}`), address);
  }
});
