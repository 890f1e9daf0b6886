/**
 * P25's test data: spellings of a forbidden address, every field of a request that can hold a URL, and every
 * redirecting answer of an upstream.
 */

/** One spelling of an address of this machine or its network. */
export interface Spelling {
  readonly name: string;
  readonly url: string;
}

const hosts: readonly (readonly [string, string])[] = [
  ["dotted", "127.0.0.1"],
  ["another loopback address", "127.0.0.2"],
  ["far loopback address", "127.9.9.9"],
  ["name", "localhost"],
  ["name with a dot at its end", "localhost."],
  ["name in capitals", "LOCALHOST"],
  ["name below localhost", "trap.localhost"],
  ["dotted with a dot at its end", "127.0.0.1."],
  ["short", "127.1"],
  ["three parts", "127.0.1"],
  ["decimal", "2130706433"],
  ["hexadecimal", "0x7f000001"],
  ["hexadecimal parts", "0x7f.0x0.0x0.0x1"],
  ["octal", "017700000001"],
  ["octal parts", "0177.0.0.01"],
  ["mixed parts", "0x7f.0.0.01"],
  ["zero", "0.0.0.0"],
  ["short zero", "0"],
  ["full-width digits", "１２７.０.０.１"],
  ["ideographic dots", "127。0。0。1"],
  ["circled letters", "ⓛocalhost"],
  ["percent-encoded", "%31%32%37.0.0.1"],
  ["IPv6", "[::1]"],
  ["IPv6 in full", "[0000:0000:0000:0000:0000:0000:0000:0001]"],
  ["IPv6 unspecified", "[::]"],
  ["mapped", "[::ffff:127.0.0.1]"],
  ["mapped in hexadecimal", "[::ffff:7f00:1]"],
  ["compatible", "[::127.0.0.1]"],
  ["translated", "[::ffff:0:127.0.0.1]"],
  ["NAT64", "[64:ff9b::7f00:1]"],
  ["local NAT64", "[64:ff9b:1::7f00:1]"],
  ["6to4", "[2002:7f00:1::]"],
  ["Teredo", "[2001:0:7f00:1::80ff:fffe]"],
  ["user name before the host", "example.com@127.0.0.1"],
  ["user name and password", "user:password@127.0.0.1"],
  ["host before an at sign and another", "127.0.0.1@127.0.0.2"],
];

export function trapSpellings(port: number): Spelling[] {
  const plain = hosts.map(([name, host]) => ({ name, url: `http://${host}:${port}/trap.png` }));
  const more: [string, string][] = [
    ["https", `https://127.0.0.1:${port}/trap.png`],
    ["backslashes", `http:\\\\127.0.0.1:${port}\\trap.png`],
    ["backslash before an at sign", `http://127.0.0.1:${port}\\@example.com/`],
    ["hash before an at sign", `http://127.0.0.1:${port}#@example.com/`],
    ["query before an at sign", `http://127.0.0.1:${port}?@example.com/`],
    ["no slashes", `http:127.0.0.1:${port}/trap.png`],
    ["one slash", `http:/127.0.0.1:${port}/trap.png`],
    ["three slashes", `http:///127.0.0.1:${port}/trap.png`],
    ["no scheme", `//127.0.0.1:${port}/trap.png`],
    ["host and port alone", `127.0.0.1:${port}`],
    ["line break in the scheme", `ht\ntp://127.0.0.1:${port}/`],
    ["tab in the host", `http://127.0.\t0.1:${port}/`],
    ["blank before", ` http://127.0.0.1:${port}/`],
    ["line break in the path", `http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`],
    ["capital scheme", `HTTP://127.0.0.1:${port}/`],
    ["websocket", `ws://127.0.0.1:${port}/`],
    ["ftp", `ftp://127.0.0.1:${port}/`],
    ["gopher", `gopher://127.0.0.1:${port}/_GET%20/`],
    ["git", `git+http://127.0.0.1:${port}/x.git`],
    ["jar", `jar:http://127.0.0.1:${port}!/`],
    ["page in a data address", `data:text/html,<img src="http://127.0.0.1:${port}/">`],
  ];
  return [...plain, ...more.map(([name, url]) => ({ name, url }))];
}

/** Addresses that must never be called; no server listens there, so the fetcher itself must refuse them. */
export const forbidden: readonly string[] = [
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "168.63.129.16",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.0.1",
  "198.18.0.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fec0::1",
  "ff02::1",
  "2001:db8::1",
  "100::1",
  "::ffff:10.0.0.1",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
];

type Fields = Record<string, unknown>;

const user = (...content: unknown[]): Fields => ({
  messages: [{ role: "user", content: [{ type: "text", text: "x" }, ...content] }],
});
const say = (content: string): Fields => ({ messages: [{ role: "user", content }] });

/** Every body field that can hold an address: the members to add to a plain call, given the address. */
export const bodyFields: Readonly<Record<string, (url: string) => Fields>> = {
  "image_url.url": (url) => user({ type: "image_url", image_url: { url, detail: "high" } }),
  "image_url as text": (url) => user({ type: "image_url", image_url: url }),
  "image source": (url) => user({ type: "image", source: { type: "url", url } }),
  input_image: (url) => user({ type: "input_image", image_url: url }),
  "file.file_url": (url) => user({ type: "file", file: { file_url: url, filename: url } }),
  "file_url.url": (url) => user({ type: "file_url", file_url: { url } }),
  "file.file_data": (url) => user({ type: "file", file: { file_data: url } }),
  "file.file_id": (url) => user({ type: "file", file: { file_id: url } }),
  "input_audio.data": (url) => user({ type: "input_audio", input_audio: { data: url, format: "wav" } }),
  "input_audio.url": (url) => user({ type: "input_audio", input_audio: { url, format: "wav" } }),
  "audio_url.url": (url) => user({ type: "audio_url", audio_url: { url } }),
  "video_url.url": (url) => user({ type: "video_url", video_url: { url } }),
  "document source": (url) => user({ type: "document", source: { type: "url", url }, cache_control: url }),
  "text of a message": (url) => say(`![x](${url}) <img src="${url}">`),
  "name of a message": (url) => ({ messages: [{ role: "user", name: url, content: "x" }] }),
  "tool result": (url) => ({ messages: [{ role: "tool", tool_call_id: url, content: url }] }),
  "tool parameters": (url) => ({
    tools: [
      {
        type: "function",
        function: { name: "f", description: url, parameters: { $ref: url, $schema: url, $id: url } },
      },
    ],
  }),
  "tool server": (url) => ({
    tools: [{ type: "mcp", server_label: "x", server_url: url, headers: { authorization: url } }],
  }),
  "web search": (url) => ({
    web_search_options: { url, search_context_size: "low" },
    plugins: [{ id: "web", url }],
  }),
  "response_format schema": (url) => ({
    response_format: { type: "json_schema", json_schema: { name: "x", schema: { $ref: url } } },
  }),
  metadata: (url) => ({ metadata: { url, webhook: url } }),
  user: (url) => ({ user: url, safety_identifier: url, prompt_cache_key: url }),
  base_url: (url) => ({ base_url: url, baseUrl: url, baseURL: url }),
  api_base: (url) => ({ api_base: url, api_host: url, host: url }),
  endpoint: (url) => ({ endpoint: url, azure_endpoint: url, target_url: url, target: url }),
  proxy: (url) => ({ proxy: url, http_proxy: url, https_proxy: url, all_proxy: url }),
  callback: (url) => ({ webhook: url, callback_url: url, success_callback: [url], notify_url: url }),
  provider: (url) => ({ provider: { url, base_url: url }, config: { base_url: url }, extra_body: { url } }),
  litellm_params: (url) => ({
    litellm_params: { api_base: url },
    user_config: { model_list: [{ api_base: url }] },
  }),
  transport: (url) => ({ extra_headers: { host: url }, headers: { "x-upstream": url }, path: url, url }),
  model: (url) => ({ model: url }),
  "model with a provider": (url) => ({ model: `openai/${url}` }),
  models: (url) => ({ models: [url, "rig-model"] }),
  "stop and prediction": (url) => ({ stop: [url], prediction: { type: "content", content: url } }),
};

/** Every header field that can hold an address. */
export const headFields: Readonly<
  Record<string, (url: string, authority: string) => Record<string, string>>
> = {
  "x-forwarded": (_url, authority) => ({
    "x-forwarded-host": authority,
    "x-forwarded-for": "127.0.0.2",
    "x-forwarded-server": authority,
    "x-forwarded-proto": "http",
    forwarded: `host="${authority}";for=127.0.0.2;proto=http`,
  }),
  "x-original-url": (url) => ({ "x-original-url": url, "x-rewrite-url": url, "x-original-host": url }),
  "origin and referer": (url) => ({ origin: url, referer: url }),
  "base address": (url) => ({ "x-base-url": url, "x-api-base": url, "api-base": url, "x-upstream-url": url }),
  portkey: (url) => ({
    "x-portkey-custom-host": url,
    "x-portkey-config": JSON.stringify({ provider: "openai", custom_host: url }),
  }),
  helicone: (url) => ({ "helicone-target-url": url, "helicone-openai-api-base": url }),
  azure: (url) => ({ "x-azure-endpoint": url, "api-key": url, "openai-base-url": url }),
  proxy: (url) => ({ "proxy-authorization": url, "x-proxy-url": url, "x-proxy": url, via: `1.1 ${url}` }),
  webhook: (url) => ({ "x-webhook-url": url, "x-callback-url": url, "idempotency-key": url }),
  model: (url) => ({ "x-model": url, "x-provider": url, "openai-organization": url }),
  anthropic: (url) => ({ "anthropic-version": url, "anthropic-beta": url, "anthropic-base-url": url }),
  google: (url) => ({
    "x-goog-user-project": url,
    "x-goog-api-client": url,
    "x-goog-request-params": url,
    "x-goog-upload-url": url,
    "x-server-timeout": "5",
  }),
};

/** Whole requests to this path as bytes, with the trap's authority where a proxy would read it. */
export function rawRequests(
  authority: string,
  key: string,
  { path, body }: { readonly path: string; readonly body: string },
): Readonly<Record<string, string>> {
  const rest = [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  const request = (...lines: string[]): string => `${[...lines, ...rest].join("\r\n")}\r\n\r\n${body}`;
  return {
    "Host of the trap": request(`POST ${path} HTTP/1.1`, `Host: ${authority}`),
    "two Hosts": request(`POST ${path} HTTP/1.1`, "Host: plaza", `Host: ${authority}`),
    "Host with a path": request(`POST ${path} HTTP/1.1`, `Host: ${authority}/v1?`),
    "Host with a user": request(`POST ${path} HTTP/1.1`, `Host: plaza@${authority}`),
    "no Host": request(`POST ${path} HTTP/1.0`),
    "absolute target": request(`POST http://${authority}${path} HTTP/1.1`, `Host: ${authority}`),
    "absolute target by https": request(`POST https://${authority}${path} HTTP/1.1`, "Host: plaza"),
    "absolute GET": `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`,
    "target without scheme": request(`POST //${authority}${path} HTTP/1.1`, "Host: plaza"),
    "target with an at sign": request(`POST @${authority}${path} HTTP/1.1`, "Host: plaza"),
    "target after a colon": request(`POST :@${authority}${path} HTTP/1.1`, "Host: plaza"),
    "address in the path": request(`POST /v1/http://${authority}${path} HTTP/1.1`, "Host: plaza"),
    "address in the query": request(
      `POST ${path}?url=http://${authority}/&base_url=http://${authority}/&api_base=http://${authority} HTTP/1.1`,
      "Host: plaza",
    ),
    "dots to the trap": request(`POST ${path}/../../../http://${authority}/ HTTP/1.1`, "Host: plaza"),
    CONNECT: `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`,
    upgrade: `GET /v1/models HTTP/1.1\r\nHost: ${authority}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
    "model of that name": `GET /v1/models/http:%2f%2f${authority}%2f HTTP/1.1\r\nHost: plaza\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    "proxy protocol": `PROXY TCP4 127.0.0.2 127.0.0.1 1 2\r\n${request(`POST ${path} HTTP/1.1`, "Host: plaza")}`,
  };
}

/** An upstream answer that tries to redirect its caller. */
export interface Detour {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Redirects of every kind, and hints that some clients follow. */
export function detours(port: number): Detour[] {
  const url = `http://127.0.0.1:${port}/trap`;
  const redirects = [300, 301, 302, 303, 305, 307, 308].map((status) => ({
    name: `redirect ${status}`,
    status,
    headers: { location: url },
  }));
  return [
    ...redirects,
    {
      name: "redirect to another address",
      status: 307,
      headers: { location: `http://127.0.0.2:${port}/trap` },
    },
    { name: "redirect without scheme", status: 308, headers: { location: `//127.0.0.1:${port}/trap` } },
    { name: "redirect by https", status: 302, headers: { location: `https://localhost:${port}/trap` } },
    { name: "created elsewhere", status: 201, headers: { location: url } },
    { name: "accepted, look elsewhere", status: 202, headers: { location: url, "retry-after": "0" } },
    { name: "success with hints", status: 200, headers: { ...hints(port), location: url } },
    { name: "overloaded with hints", status: 503, headers: { ...hints(port), location: url } },
    {
      name: "proxy wanted",
      status: 407,
      headers: { "proxy-authenticate": `Basic realm="${url}"`, location: url },
    },
    { name: "misdirected", status: 421, headers: { ...hints(port), location: url } },
  ];
}

function hints(port: number): Record<string, string> {
  return {
    refresh: `0; url=http://127.0.0.1:${port}/`,
    link: `<http://127.0.0.1:${port}/>; rel=preconnect`,
    "alt-svc": `http/1.1="127.0.0.1:${port}"; ma=60, h2=":${port}"`,
    "content-location": `http://127.0.0.1:${port}/`,
    "report-to": `{"group":"x","max_age":60,"endpoints":[{"url":"http://127.0.0.1:${port}/"}]}`,
  };
}
