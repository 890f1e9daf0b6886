/** How the server's messages become Chinese and Japanese ones, and what stays as the server said it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { texts as japanese } from "@plaza/contract/messages/ja/index.ts";
import { type Message, message, textOf } from "@plaza/contract/messages/message.ts";
import { operationsMessage } from "@plaza/contract/messages/operations.ts";
import { texts } from "@plaza/contract/messages/zh/index.ts";
import { type Operation, operationNames } from "@plaza/contract/operations.ts";
import { type MessageRef, serverText, takeServerTexts } from "./server-text.ts";

takeServerTexts("zh", { texts, stop: "。", isSpaced: true });
takeServerTexts("ja", { texts: japanese, stop: "。", isSpaced: true });

const said = (made: Message): string => serverText(textOf(made), "zh", made);
const sentence = (text: Message): Message => message("form.sentence", { text });

test("numbers and names are taken over, apart from the script around them", () => {
  assert.equal(said(message("form.passwordTooShort", { min: 10 })), "密码至少 10 个字符。");
  assert.equal(
    said(message("catalog.credentialNeeded", { service: "OpenAI (EU)" })),
    "OpenAI (EU) 需要凭据。",
  );
});

test("one message as a part and as a sentence", () => {
  const unknown = message("store.accountUnknown", { id: "acc_1" });
  assert.equal(said(unknown), "未找到账户 acc_1");
  assert.equal(said(sentence(unknown)), "未找到账户 acc_1。");
});

test("what stands in a message is translated, too", () => {
  const empty = message("file.empty", { what: message("file.anId") });
  assert.equal(said(sentence(empty)), "为空；请填写 ID。");
  const form = message("file.whole", { min: 0, max: 9 });
  const refused = message("file.notForm", { given: '"-1"', form });
  const atField = message("form.atField", { path: "deployments.0.weight", fault: sentence(refused) });
  assert.equal(said(atField), 'deployments.0.weight："-1" 不可用；必须是 0 到 9 的整数。');
});

test("Japanese: parts and names in Latin letters stand apart from kana, too", () => {
  const inJapanese = (made: Message): string => serverText(textOf(made), "ja", made);
  const unknown = message("store.accountUnknown", { id: "acc_1" });
  assert.equal(inJapanese(sentence(unknown)), "アカウント acc_1 が見つかりません。");
  const allowed = message("limit.requests", { scope: "all", limit: 60 });
  assert.equal(
    inJapanese(message("limit.requestsReached", { allowed, seconds: 2 })),
    "このインストール環境は、すべての呼び出し元の合計で1分あたり 60 リクエストに制限されています。制限に達しています。2 秒後にもう一度お試しください。",
  );
  const empty = (what: Message) => inJapanese(sentence(message("file.empty", { what })));
  assert.equal(empty(message("file.anId")), "空です。ID を指定してください。");
  assert.equal(empty(message("file.aName")), "空です。名前を指定してください。");
  const guess = message("file.didYouMean", { meant: '"main"', what: "upstreams", listed: "main" });
  assert.equal(
    inJapanese(sentence(message("file.upstreamUnknown", { given: '"mian"', guess }))),
    'アップストリーム "mian" は不明です。"main" の間違いではありませんか？（アップストリーム：main）。',
  );
});

test("a case is picked by its value", () => {
  const allowed = message("limit.requests", { scope: "key", limit: 1 });
  const reached = message("limit.requestsReached", { allowed, seconds: 1.2 });
  assert.equal(
    textOf(reached),
    "This API key is limited to 1 request per minute, and the limit is reached. Try again in 1.2 s.",
  );
  assert.equal(said(reached), "此 API 密钥每分钟最多 1 个请求，已达到限额。请在 1.2 秒后重试。");
});

test("operations are joined in the words of each language, up to all of them", () => {
  const wrong = (operations: readonly Operation[]) =>
    sentence(
      message("call.wrongEndpoint", {
        model: "m",
        operations: operationsMessage(operations),
        path: "/v1/x",
      }),
    );
  assert.equal(textOf(wrong(["chat"])), "The model 'm' is for chat. Use POST /v1/x.");
  assert.equal(said(wrong(["chat"])), "模型 m 用于对话。请使用 POST /v1/x。");
  assert.match(textOf(wrong(["chat", "embeddings", "rerank"])), /is for chat, embeddings and reranking\./);
  assert.match(said(wrong(["chat", "embeddings", "rerank"])), /用于对话、嵌入和重排序。/);
  const path = "model";
  const all = message("form.atField", { path, fault: wrong(operationNames) });
  assert.match(textOf(all), /is for chat, .*, text to speech and speech to text\. Use POST/);
  assert.match(said(all), /用于对话、.*、语音合成和语音识别。请使用/);
});

test("what has no text here stays as it is, and so does everything in English", () => {
  const strange: (MessageRef | null)[] = [
    null,
    { id: "account.unheardOf" },
    { id: "store.accountUnknown" },
    { id: "store.accountUnknown", params: { id: { deep: true } } },
    { id: "store.accountUnknown", params: { id: null } },
  ];
  for (const one of strange) assert.equal(serverText("Something.", "zh", one), "Something.");
  assert.equal(serverText("Something.", "en", message("account.unknown")), "Something.");
});
