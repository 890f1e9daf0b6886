/**
 * Test fixtures, built from docs/wire/upstream-errors.md section 5: invented secrets that belong to no
 * provider (those of providers are in their descriptors), and the error texts they occur in
 * (docs/wire/openai-chat.md section 7, docs/wire/openai-compatible.md section 1). None was ever valid.
 */
import assert from "node:assert/strict";

interface Canary {
  readonly name: string;
  readonly secret: string;
}

/** Secrets that must never be shown. */
export const canaries: readonly Canary[] = [
  { name: "a masked key without a prefix", secret: "canar***************ry12" },
  { name: "a key of this gateway", secret: "sk-plaza-CANARYa1B2c3D4e5F6g7H8i9J0kLmN" },
  { name: "a Replicate token", secret: "r8_CANARYaBcDeFgHiJkLmNoPqRsTuVwXyZabc" },
  { name: "a JWT", secret: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeS0x" },
  { name: "a project id", secret: "proj_CANARYaBcDeFgHiJkLmNoPq" },
  { name: "a UUID (tenant, team, request)", secret: "ca0a8700-c0ff-4ee0-8b1e-9d2f3a4b5c6d" },
  {
    name: "an upstream URL",
    secret: "https://canary-resource.openai.azure.com/openai/deployments/canary-dep?api-version=1",
  },
  { name: "a URL with a key", secret: "http://10.20.30.40:8000/v1?key=CanarySecretValue" },
  { name: "an escaped URL", secret: "https:\\/\\/canary.internal\\/v1" },
  { name: "a public host", secret: "api.canary-vendor.com" },
  { name: "an internal host", secret: "canary-gpu-7.prod.svc.cluster.local:8000" },
  { name: "a host of an unknown domain", secret: "canary-llm.acmeworks" },
  { name: "a container name with a port", secret: "canaryvllm:8000" },
  { name: "a host with an underscore", secret: "canary_gpu.internal" },
  { name: "an IPv4 address", secret: "192.168.177.203" },
  { name: "an IPv4 address with a port", secret: "10.200.30.44:11434" },
  { name: "an IPv6 address", secret: "2001:db8:85a3::8a2e:370:7334" },
  { name: "a full IPv6 address", secret: "2001:0db8:85a3:0000:0000:8a2e:0370:7334" },
  { name: "a local IPv6 address", secret: "fe80::1ff:fe23:4567:890a%eth0" },
  { name: "an IPv6 address that holds IPv4", secret: "::ffff:10.200.30.44" },
  { name: "a mail address", secret: "canary.operator@example-corp.com" },
  { name: "a path of a stack trace", secret: "/opt/canary/lib/python3.12/site-packages/server.py" },
  { name: "inline data", secret: "data:image/png;base64,iVBORw0KGgoCANARYAAAANSUhEUgAAAAUA" },
];

/** Real error texts with the secret where upstreams have put one. */
export function errorTexts(secret: string): string[] {
  const inner = JSON.stringify({ error: { message: `denied for ${secret}` }, key: secret });
  return [
    secret,
    `Incorrect API key provided: ${secret}. You can find your API key in the dashboard.`,
    `You didn't provide an API key. Authorization: Bearer ${secret}`,
    `Rate limit reached for model in organization ${secret} on tokens per min (TPM): Limit 30000, Used 1.`,
    `The server had an error while processing your request. (Please include ${secret} in your email.)`,
    `Invalid value for '${secret}' in request "${secret}"`,
    `dial ${secret}: connect: connection refused`,
    `upstream [${secret}] failed,${secret};next=${secret}`,
    `Provider returned error ${inner}`,
    `Provider returned error ${JSON.stringify(inner)}`,
    `<html><body>nginx: cannot reach <b>${secret}</b></body></html>`,
    `Error\n    at ${secret}\n    host=${secret}`,
  ];
}

/** Texts with the secret beside or inside what looks like a parameter's name. */
export function namesWith(secret: string): string[] {
  return [
    `messages.0.content: ${secret}`,
    `prompt_cache_key: ${secret}`,
    `prompt_cache_key=${secret}`,
    `thinking.signature ${secret}`,
    `messages.0.content.${secret}`,
    `${secret}.messages.0.content`,
    `response_format.json_schema.schema.properties.${secret}`,
    `/v1/chat/completions/${secret}`,
    `/v1/${secret}/chat/completions`,
    `${secret}/v1/chat/completions`,
    `/v1/chat/completions?key=${secret}`,
    `endpoint '/v1/chat/completions' of resource '${secret}'`,
    `deployment 'v1/models','${secret}'`,
    `\ue000${secret}\ue001 messages.0.content`,
  ];
}

/** Throws when the secret, or twelve characters of it, remain in the shown text. */
export function assertNothingOf(secret: string, text: string, clean: string): void {
  for (let at = 0; at + 12 <= Math.max(secret.length, 12); at += 1) {
    const part = secret.slice(at, at + 12);
    assert.equal(clean.includes(part), false, `${part} of ${text} is left in: ${clean}`);
  }
}

/** Texts of 100 KB on which a quadratic pattern would take too long. */
export function* hostileTexts(): Generator<string> {
  const seeds = [
    ...[
      "a",
      "-",
      "a-",
      "a.",
      ":",
      "a:",
      "1.",
      "/a",
      "/",
      "*",
      "=",
      "sk-",
      "key ",
      "key: ",
      "bearer ",
      "data:",
    ],
    ...[
      "-----BEGIN a-----",
      "@",
      "a@",
      "0:",
      "https:/",
      "request ",
      "[removed]",
      "\u200b",
      "a1",
      "messages.0.",
      "/v1/",
      "v1[",
      "properties.a.",
      "\ue000",
      "https://",
      "\n",
    ],
  ];
  for (const seed of seeds)
    for (const tail of ["", "!", " \u0000"]) yield seed.repeat(100_000 / seed.length) + tail;
}
