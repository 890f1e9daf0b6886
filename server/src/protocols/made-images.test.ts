/** A picture of a model comes back as a picture on the next turn, or is left out and told; never as text. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StreamSink } from "../conversation/answer.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { decodeRequest as readMessages } from "./anthropic-messages/decode-request.ts";
import { MessageWriter } from "./anthropic-messages/encode-answer.ts";
import { encodeRequest as toMessages } from "./anthropic-messages/encode-request.ts";
import { encodeRequest as toConverse } from "./bedrock-converse/encode-request.ts";
import { encodeRequest as toGemini } from "./gemini/encode-request.ts";
import { imageText, imageUrlIn } from "./made-images.ts";
import { openaiDialect } from "./openai-chat/dialect.ts";
import { encodeRequest as toChat } from "./openai-chat/encode-request.ts";
import { decodeRequest as readResponses } from "./openai-responses/decode-request.ts";
import { encodeRequest as toResponses } from "./openai-responses/encode-request.ts";
import { plainSeal } from "./payloads/seal.ts";
import type { Encoded } from "./protocol.ts";

const png = `iVBORw0KGgo${"A".repeat(9_000)}==`;
const text = imageText("image/png", png);
const url = `data:image/png;base64,${png}`;
const context = { isStream: false } as const;

const encoders: Readonly<Record<string, (asked: Conversation) => Encoded<object>>> = {
  "anthropic-messages": (asked) => toMessages(asked, context, "claude-sonnet-4-5"),
  "bedrock-converse": (asked) => toConverse(asked, context, "amazon.nova-pro-v1:0"),
  gemini: (asked) => toGemini(asked, context, "gemini", "gemini-2.5-flash-image"),
  "openai-chat": (asked) => toChat(asked, context, "gpt-5.5"),
  "openai-chat, a router": (asked) =>
    toChat(asked, context, "m", { ...openaiDialect, takesMadeImages: true }),
  "openai-responses": (asked) => toResponses(asked, context, "gpt-5.6"),
};

function answered(say: (sink: StreamSink) => void, isStream: boolean): Buffer {
  const writer = new MessageWriter(
    { id: "msg_1", model: "m", showsThoughts: true, hidesWords: false, seal: plainSeal, promptTokens: 1 },
    isStream,
  );
  say(writer);
  writer.finish("stop");
  const whole = writer.build();
  if (!isStream && whole !== undefined) return whole;
  writer.close();
  return writer.take();
}

const picture = (sink: StreamSink): void => {
  sink.text("Here:");
  sink.image("image/png", png);
  sink.text("Nice?");
};

const messagesWith = (content: unknown): Conversation =>
  readMessages(
    Buffer.from(
      JSON.stringify({
        model: "m",
        max_tokens: 100,
        messages: [
          { role: "user", content: "Draw." },
          { role: "assistant", content },
          { role: "user", content: "Darker." },
        ],
      }),
    ),
  );

/** Checks a conversation with one picture in its second turn at every upstream. */
function goesOn(asked: Conversation, place: string): void {
  for (const [name, encode] of Object.entries(encoders)) {
    const { body, dropped } = encode(asked);
    const sent = JSON.stringify(body);
    const isTaken = name === "gemini" || name === "openai-chat, a router";
    assert.equal(sent.split(png).length, isTaken ? 2 : 1, name);
    assert.ok(!sent.includes("![image]"), name);
    assert.deepEqual(dropped, isTaken ? undefined : [place], name);
    if (name === "gemini")
      assert.ok(sent.includes(`{"inlineData":{"mimeType":"image/png","data":"${png}"}}`));
    else if (isTaken)
      assert.ok(sent.includes(`"images":[{"type":"image_url","image_url":{"url":"${url}"}}]`));
  }
}

describe("a picture for a Messages caller", () => {
  test("is a text block of its own, and comes back as a picture", () => {
    const { content } = JSON.parse(answered(picture, false).toString()) as { content: { text: string }[] };
    assert.deepEqual(
      content.map((block) => block.text),
      ["Here:", text, "Nice?"],
    );
    goesOn(messagesWith(content), "messages[1].content[1]");
    goesOn(messagesWith(text), "messages[1].content");
  });

  test("is one in a stream", () => {
    const events = answered(picture, true).toString();
    const starts = [...events.matchAll(/"type":"content_block_start","index":(\d)/g)];
    assert.equal(starts.length, 3);
    assert.match(events, /"index":1,"delta":\{"type":"text_delta","text":"!\[image\]\(data:/);
  });

  test("has no thoughts after it at the end: programs read the last block as the result", () => {
    const signed = answered((sink) => {
      sink.image("image/png", png);
      sink.opaqueReasoning({ format: "google-gemini-v1", id: "image:0", data: "c2ln" });
    }, false);
    const { content } = JSON.parse(signed.toString()) as { content: { type: string }[] };
    assert.deepEqual(
      content.map(({ type }) => type),
      ["text"],
    );
  });

  test("is only what Plaza writes: other texts stay text", () => {
    const others = [
      `${text} `,
      ` ${text}`,
      `${text}${text}`,
      text.replace("image]", "Image]"),
      text.replace("png;", "gif;"),
      text.replace("png;", "jpeg;"),
      text.replace("png;", "png;a=b;"),
      text.replace("image/png", "application/pdf"),
      text.replace("AAAA", "AA)A"),
      text.replace("AAAA", "AA\nA"),
      imageText("image/png", "iVBORw0KGgoAAAA"),
      imageText("image/png", "A".repeat(9_000)),
      `![image](https://hostile.test/${"a".repeat(9_000)}.png)`,
    ];
    for (const other of others) {
      assert.equal(imageUrlIn(other), undefined, other.slice(0, 60));
      const { body, dropped } = toGemini(
        messagesWith([{ type: "text", text: other }]),
        context,
        "gemini",
        "gemini-2.5-flash-image",
      );
      assert.deepEqual(body.contents[1]?.parts, [{ text: other }]);
      assert.equal(dropped, undefined);
    }
    assert.equal(imageUrlIn(text), url);
    // What a user writes is text.
    const asked = readMessages(
      Buffer.from(JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: text }] })),
    );
    assert.equal(asked.turns[0]?.blocks[0]?.kind, "text");
  });
});

describe("a picture for a Responses caller", () => {
  const item = { type: "image_generation_call", id: "ig_1", status: "completed", result: png };
  const responsesWith = (...items: object[]): Conversation =>
    readResponses(
      Buffer.from(
        JSON.stringify({
          model: "m",
          input: [{ role: "user", content: "Draw." }, ...items, { role: "user", content: "Darker." }],
        }),
      ),
    );

  test("comes back as a picture; this format keeps its item", () => {
    const asked = responsesWith(item);
    const { body, dropped } = toResponses(asked, context, "gpt-5.6");
    assert.deepEqual((body["input"] as object[])[1], item);
    assert.equal(dropped, undefined);
    goesOn({ ...asked, protocol: "another" }, "input[1]");
  });

  test("says its kind by its first bytes", () => {
    const kinds = [
      [png, "image/png"],
      ["/9j/AAAA", "image/jpeg"],
      ["UklGRAAA", "image/webp"],
      ["AAAA", "image/png"],
    ] as const;
    for (const [result, mimeType] of kinds) {
      const asked = responsesWith({ ...item, result });
      const { contents } = toGemini(asked, context, "gemini", "gemini-2.5-flash-image").body;
      assert.deepEqual(contents[1]?.parts, [{ inlineData: { mimeType, data: result } }]);
    }
  });

  test("without a picture is left out and told", () => {
    for (const result of [null, "", "https://hostile.test/a.png", 1]) {
      const asked = responsesWith({ ...item, result });
      assert.deepEqual(toGemini(asked, context, "gemini", "gemini-2.5-flash-image").dropped, ["input[1]"]);
    }
  });
});
