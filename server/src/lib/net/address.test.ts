import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type AddressKind, addressKind, isInside, isOpened, parseAddress, parseNetwork } from "./address.ts";

const bytesOf = (text: string): Uint8Array => parseAddress(text) ?? assert.fail(`${text} is no address`);
const kindOf = (text: string): AddressKind => addressKind(bytesOf(text));
const network = (text: string) => parseNetwork(text) ?? assert.fail(`${text} is no network`);

/** First and last address of each range, and the addresses next to it. */
const kinds: Readonly<Record<AddressKind, readonly string[]>> = {
  public: [
    "1.0.0.0",
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "64:ff9b::8.8.8.8",
    "2001:200::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:831::200e",
    "3ffd:ffff::1",
  ],
  unspecified: ["0.0.0.0", "0.0.0.1", "0.255.255.255", "::", "::ffff:0.0.0.0", "64:ff9b::"],
  loopback: ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
  private: [
    "10.0.0.0",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.0",
    "192.168.255.255",
    "::ffff:10.0.0.1",
    "64:ff9b::192.168.1.1",
  ],
  shared: ["100.64.0.0", "100.127.255.255", "::ffff:100.64.0.1"],
  link_local: ["169.254.0.0", "169.254.255.255", "fe80::1", "febf:ffff::1"],
  metadata: [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
  ],
  unique_local: ["fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "fec0::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
  broadcast: ["255.255.255.255", "::ffff:255.255.255.255"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff:fff::1"],
  benchmark: ["198.18.0.0", "198.19.255.255", "2001:2::1"],
  tunnel: [
    "192.88.99.1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2002:7f00:1::",
    "2002:808:808::1",
    "2a00:1450::5efe:7f00:1",
    "2a00:1450::200:5efe:a00:1",
  ],
  reserved: [
    "192.0.0.1",
    "240.0.0.1",
    "255.255.255.254",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b:1::808:808",
    "100::1",
    "2001:20::1",
    "3ffe::1",
    "4000::1",
    "5f00::1",
    "1fff::1",
  ],
};

test("every range by its borders", () => {
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) assert.equal(kindOf(address), kind, address);
  }
});

test("what is no plain address has no bytes", () => {
  const refused = [
    "",
    "1",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "0x7f.0.0.1",
    "256.0.0.1",
    "1.2.3.4 ",
    " 1.2.3.4",
    "1.2.3.4\n",
    "1.2.3.-4",
    "１.2.3.4",
    "localhost",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "::1%lo",
    "fe80::1%25eth0",
    "[::1]",
    "12345::",
    "g::1",
    "1.2.3.4::",
    "::1.2.3",
    "::1.2.3.4:5",
    "::256.0.0.1",
    "1:2:3:4:5:6:7:1.2.3.4",
  ];
  for (const text of refused) assert.equal(parseAddress(text), undefined, text);
});

test("every spelling of an IPv6 address reads the same", () => {
  const spellings = [
    "2001:db8:0:0:1:0:0:1",
    "2001:0db8::1:0:0:1",
    "2001:DB8::1:0:0:1",
    "2001:db8:0:0:1::0.0.0.1",
  ];
  assert.equal(new Set(spellings.map((text) => bytesOf(text).join())).size, 1);
  assert.deepEqual([...bytesOf("::ffff:1.2.3.4")], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4]);
});

test("any bytes written out are read back, and a URL's host is read as what the URL parser made of it", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from({ length: 8 }, (_, index) =>
        (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
      );
      const { hostname } = new URL(`http://[${groups.join(":")}]`);
      assert.deepEqual(parseAddress(groups.join(":")), bytes);
      assert.deepEqual(parseAddress(hostname.slice(1, -1)), bytes);
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 4 }), (bytes) => {
      const number = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
      for (const host of [
        bytes.join("."),
        String(number),
        `0x${number.toString(16)}`,
        `0${number.toString(8)}`,
      ]) {
        assert.deepEqual(parseAddress(new URL(`http://${host}`).hostname), bytes, host);
      }
    }),
  );
});

test("an IPv4 address is judged alike wherever it hides", () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      assert.equal(kindOf(`::ffff:${text}`), kindOf(text));
      assert.equal(kindOf(`64:ff9b::${text}`), kindOf(text));
      assert.notEqual(kindOf(`::${text}`), "public");
    }),
  );
});

test("networks", () => {
  assert.ok(isInside(bytesOf("10.9.8.7"), network("10.0.0.0/8")));
  assert.ok(!isInside(bytesOf("11.0.0.0"), network("10.0.0.0/8")));
  assert.ok(isInside(bytesOf("172.31.0.1"), network("172.16.0.0/12")));
  assert.ok(!isInside(bytesOf("172.32.0.1"), network("172.16.0.0/12")));
  assert.ok(isInside(bytesOf("1.2.3.4"), network("0.0.0.0/0")));
  assert.ok(!isInside(bytesOf("::1"), network("0.0.0.0/0")));
  assert.equal(network("::1").bits, 128);
  for (const text of [
    "10.0.0.1/8",
    "10.0.0.0/33",
    "10.0.0.0/08",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "fd00::/129",
    "x/8",
  ]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});

test("what a network opens", () => {
  const opens = (networks: string[], address: string) => isOpened(bytesOf(address), networks.map(network));
  assert.ok(!opens([], "10.0.0.1"));
  assert.ok(opens(["10.0.0.0/8"], "10.0.0.1"));
  assert.ok(opens(["10.0.0.0/8"], "::ffff:10.0.0.1"));
  assert.ok(!opens(["10.0.0.0/8"], "192.168.0.1"));
  assert.ok(opens(["192.168.0.0/16", "fd00::/8"], "fd12::1"));
  assert.ok(!opens(["169.254.0.0/16", "0.0.0.0/0", "::/0", "fd00::/8"], "169.254.169.254"));
  assert.ok(!opens(["fd00::/8"], "fd00:ec2::254"));
  assert.ok(opens(["169.254.169.254/32"], "169.254.169.254"));
});
