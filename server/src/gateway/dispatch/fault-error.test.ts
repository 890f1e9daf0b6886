import assert from "node:assert/strict";
import { test } from "node:test";
import { anyFaults } from "../../providers/openai/fixtures/anyone.ts";
import type { FaultFixture } from "../../providers/openai/fixtures/fault.ts";
import { azureFaults, openaiFaults } from "../../providers/openai/fixtures/openai.ts";
import { serverFaults } from "../../providers/openai/fixtures/servers.ts";
import { routerFaults, vendorFaults } from "../../providers/openai/fixtures/vendors.ts";
import { openai } from "../../providers/openai/openai.ts";
import { faultError } from "./fault-error.ts";

const promptField = "messages";

const everyone: readonly FaultFixture[] = [
  ...anyFaults,
  ...openaiFaults,
  ...azureFaults,
  ...serverFaults,
  ...vendorFaults,
  ...routerFaults,
];

function messageOf({ status, headers = {}, body }: FaultFixture, context?: number): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return faultError(openai.fault(status, headers, text), { attempts: 1, context, promptField }).message;
}

test("a prompt that is too long begins alike for every OpenAI-shaped upstream, and blocked ones name OpenAI's code", () => {
  const overflows = everyone.filter(({ kind }) => kind === "context_length");
  const blocked = everyone.filter(({ kind }) => kind === "content_filter");
  assert.ok(overflows.length > 8 && blocked.length > 4);
  for (const fixture of overflows) {
    assert.match(messageOf(fixture), /^This model's maximum context length is /, fixture.name);
    assert.match(
      messageOf(fixture, 12_345),
      /^This model's maximum context length is \d+ tokens/,
      fixture.name,
    );
  }
  for (const fixture of blocked) assert.match(messageOf(fixture), /content_policy_violation/, fixture.name);
});

test("the number is the upstream's where it names one, else the catalog's, else none", () => {
  const overflow = (message: string | undefined, context?: number): string =>
    faultError({ kind: "context_length", message }, { attempts: 1, context, promptField }).message;
  const anthropic = "prompt is too long: 214783 tokens > 200000 maximum";
  assert.equal(
    overflow(anthropic, 400_000),
    `This model's maximum context length is 200000 tokens. ${anthropic}`,
  );
  const bedrock = "Input is too long for requested model.";
  assert.equal(overflow(bedrock, 8192), `This model's maximum context length is 8192 tokens. ${bedrock}`);
  assert.equal(
    overflow(bedrock),
    `This model's maximum context length is too small for this request. ${bedrock}`,
  );
  const own = "This model's maximum context length is 128000 tokens. However, you requested 150000 tokens.";
  assert.equal(overflow(own, 400_000), own);
  assert.match(
    overflow(undefined, 8192),
    /^This model's maximum context length is 8192 tokens\. Shorten the /,
  );
});

test("words that clients of the caller's format read stay as they are, others begin as ever", () => {
  const said = "input length and `max_tokens` exceed context limit: 195000 + 20000 > 200000";
  const overflow = (message: string): string =>
    faultError(
      { kind: "context_length", message },
      { attempts: 1, context: 9, promptField, readsOverflow: (text) => text === said },
    ).message;
  assert.equal(overflow(said), said);
  const own = "This model's maximum context length is 8 tokens.";
  assert.equal(overflow(own), own);
  assert.equal(overflow("Too long."), "This model's maximum context length is 9 tokens. Too long.");
});

test("a blocked prompt keeps the upstream's words behind ours", () => {
  const blocked = (message?: string) =>
    faultError({ kind: "content_filter", message }, { attempts: 1, promptField });
  assert.match(blocked("Policy 7").message, /\(content_policy_violation\)\. Policy 7$/);
  assert.match(blocked().message, /\(content_policy_violation\)\. Change the prompt/);
  assert.equal(blocked().code, "content_filter");
});

test("after several attempts of ours the caller is told not to try again, but a limit's wait is worth another call", () => {
  assert.equal(faultError({ kind: "server" }, { attempts: 2, promptField }).detail.shouldRetry, false);
  assert.equal(faultError({ kind: "server" }, { attempts: 1, promptField }).detail.shouldRetry, undefined);
  assert.equal(
    faultError({ kind: "rate_limit" }, { attempts: 2, promptField }).detail.shouldRetry,
    undefined,
  );
});
