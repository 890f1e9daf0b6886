/**
 * Test fixtures, built from docs/wire/upstream-errors.md section 5: invented secrets of every kind in use,
 * and the error texts they turn up in (docs/wire/openai-chat.md section 7, docs/wire/openai-compatible.md
 * section 1). None was ever valid.
 */

interface Canary {
  readonly name: string;
  readonly secret: string;
}

/** What must never be shown. */
export const canaries: readonly Canary[] = [
  { name: "an OpenAI key", secret: "sk-CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ0123" },
  { name: "an OpenAI project key", secret: "sk-proj-CANARY_a1b2-C3d4E5f6_g7H8-i9J0kLmNoPqRsT" },
  { name: "a masked OpenAI key", secret: "sk-proj-********************canary" },
  { name: "a masked key without a prefix", secret: "canar***************ry12" },
  { name: "an Anthropic key", secret: "sk-ant-api03-CANARYa1B2c3D4e5F6-g7H8i9J0_kLmNoPqRs-AA" },
  {
    name: "an OpenRouter key",
    secret: "sk-or-v1-0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0c0ffee0",
  },
  { name: "a key of this gateway", secret: "sk-plaza-CANARYa1B2c3D4e5F6g7H8i9J0kLmN" },
  { name: "a Google API key", secret: "AIzaSyCANARYa1B2c3D4e5F6g7H8i9J0kLmNoPq" },
  { name: "a Google OAuth token", secret: "ya29.CANARYa0AfH6SMBx-yZ_1234567890abcdef" },
  { name: "an AWS access key id", secret: "AKIACANARYEXAMPLE123" },
  { name: "a temporary AWS access key id", secret: "ASIACANARYEXAMPLE456" },
  { name: "an AWS secret key", secret: "cAnArY7MDENG/bPxRfiCYzEXAMPLEKEYwJalr+4tU" },
  { name: "a Bedrock API key", secret: "ABSKQ0FOQVJZa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTu=" },
  { name: "an AWS ARN", secret: "arn:aws:bedrock:us-east-1:123456789012:inference-profile/canary" },
  { name: "an AWS account id", secret: "210987654321" },
  { name: "a Groq key", secret: "gsk_CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ" },
  { name: "an xAI key", secret: "xai-CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ01" },
  { name: "a Hugging Face token", secret: "hf_CANARYaBcDeFgHiJkLmNoPqRsTuVwXyZ" },
  { name: "a Replicate token", secret: "r8_CANARYaBcDeFgHiJkLmNoPqRsTuVwXyZabc" },
  { name: "a Perplexity key", secret: "pplx-canary0123456789abcdef0123456789abcdef012345" },
  { name: "a Fireworks key", secret: "fw_CANARYaBcDeFgHiJkLm" },
  { name: "a Together key", secret: "tgp_v1_CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVw" },
  { name: "a Cerebras key", secret: "csk-canaryabcdefghijklmnopqrstuvwxyzabcdefgh" },
  { name: "an NVIDIA key", secret: "nvapi-CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPqRs" },
  { name: "a GitHub token", secret: "ghp_CANARYa1B2c3D4e5F6g7H8i9J0kLmNoPq" },
  { name: "a Mistral key (no prefix)", secret: "cAnArYa1B2c3D4e5F6g7H8i9J0kLmNoP" },
  { name: "an Azure key (hex)", secret: "ca0a87c0ffee4b1e9d2f3a4b5c6d7e8f" },
  {
    name: "a long Azure key",
    secret: "CANARY7a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZJQQJ99BAACYeBjFXJ3w3AAABACOGcAnA",
  },
  { name: "a Zhipu key", secret: "ca0a87c0ffee4b1e9d2f3a4b5c6d7e8f.CanaryAbCdEfGhIj" },
  { name: "a JWT", secret: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLWNhbmFyeS0x" },
  { name: "an OpenAI organisation id", secret: "org-CANARYaBcDeFgHiJkLmNoPq" },
  { name: "a Groq organisation id", secret: "org_01jcanary7e0x9t8s5r4q3p2n1" },
  { name: "a project id", secret: "proj_CANARYaBcDeFgHiJkLmNoPq" },
  { name: "a Google project", secret: "projects/884422006611" },
  { name: "an OpenAI request id", secret: "req_canary0123456789abcdef01234567" },
  { name: "an Anthropic request id", secret: "req_011CSCanaryHoU54a2rPqXyZ" },
  { name: "a UUID (tenant, team, request)", secret: "ca0a8700-c0ff-4ee0-8b1e-9d2f3a4b5c6d" },
  {
    name: "an upstream URL",
    secret: "https://canary-resource.openai.azure.com/openai/deployments/canary-dep?api-version=1",
  },
  { name: "a URL with a key", secret: "http://10.20.30.40:8000/v1?key=CanarySecretValue" },
  { name: "an escaped URL", secret: "https:\\/\\/canary.internal\\/v1" },
  { name: "a public host", secret: "api.canary-vendor.com" },
  { name: "an Azure host", secret: "canary-resource.openai.azure.com" },
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

/** Real error texts with the secret in the places where upstreams have put one. */
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
