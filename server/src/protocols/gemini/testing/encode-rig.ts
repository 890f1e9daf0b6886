/** For tests: encodes a caller's request with this provider. */
import assert from "node:assert/strict";
import { defaultTimeouts, type Upstream } from "@plaza/contract/catalog.ts";
import { google } from "../../../providers/google/google.ts";
import { translatedChat } from "../../../providers/testing/translated-chat.ts";
import type { ProviderRequest, UpstreamCall } from "../../protocol.ts";
import { Untranslatable } from "../../untranslatable.ts";

export type Fields = Record<string, unknown>;

export const hello = { messages: [{ role: "user", content: "Hello" }] };
export const userSays = (...content: object[]): Fields => ({ messages: [{ role: "user", content }] });

export type Options = Partial<ProviderRequest> & {
  readonly model?: string;
  readonly upstream?: Partial<Upstream>;
};

export const upstreamWith = (more: Partial<Upstream> = {}): Upstream => ({
  id: "test",
  provider: "google",
  baseUrl: "https://upstream.test/v1",
  credentials: ["secret-credential"],
  timeouts: defaultTimeouts,
  ...more,
});

/** This provider reads the body only, so the spans stay empty. */
export function callOf(
  body: Fields,
  { model = "gemini-2.5-flash", upstream, ...more }: Options = {},
): UpstreamCall {
  const bytes = Buffer.from(JSON.stringify({ model, ...body }));
  const request = { body: bytes, spans: {}, isStream: body["stream"] === true, ...more };
  const target = upstreamWith(upstream);
  return translatedChat(google).encode(request, target, target.credentials[0] ?? "", model);
}

export const sent = (body: Fields, options?: Options): Fields =>
  JSON.parse(callOf(body, options).body.toString("utf8")) as Fields;

export const configOf = (body: Fields, options?: Options): Fields | undefined =>
  sent(body, options)["generationConfig"] as Fields | undefined;

export function refusal(body: Fields, options?: Options): Untranslatable {
  try {
    callOf(body, options);
  } catch (error) {
    assert.ok(error instanceof Untranslatable, String(error));
    return error;
  }
  return assert.fail("it was translated");
}
