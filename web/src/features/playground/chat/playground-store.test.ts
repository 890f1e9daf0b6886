/** Turns are sent in order, retried and edited in place, and nothing that was charged is forgotten. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../endpoint.ts";
import type { startRun } from "./live-run.ts";
import { createPlayground, type Sender } from "./playground-store.ts";
import { type ChatCall, type ChatRun, newRun } from "./run-chat.ts";

interface Begun {
  readonly call: ChatCall;
  readonly end: (text: string) => void;
}

function rig() {
  const begun: Begun[] = [];
  let stops = 0;
  const start: typeof startRun = (_, call, onChange) => {
    const settled = Promise.withResolvers<ChatRun>();
    const requestId = `req_${begun.length + 1}`;
    const end = (text: string) => {
      const run = newRun(call);
      const last: ChatRun = {
        ...run,
        state: "complete",
        requestId,
        answer: { ...run.answer, text },
      };
      onChange(last);
      settled.resolve(last);
    };
    begun.push({ call, end });
    return {
      stop: () => {
        stops += 1;
      },
      done: settled.promise,
    };
  };
  const sender: Sender = { endpoint: {} as Endpoint, model: "m", keyId: "k", onSettled: () => undefined };
  const said = (text: string) => ({ text, images: [] });
  return { playground: createPlayground(start), startFor: start, begun, sender, said, stops: () => stops };
}

const sentTexts = ({ call }: Begun): unknown[] =>
  (JSON.parse(call.body) as { messages: { content: string }[] }).messages.map(({ content }) => content);

test("each turn sends what came before, and none while an answer is under way", () => {
  const { playground, begun, sender, said } = rig();
  playground.set({ system: "Be brief." });
  assert.equal(playground.send(sender, said("one")), true);
  assert.equal(playground.send(sender, said("too early")), false);
  begun[0]?.end("1");
  playground.send(sender, said("two"));
  assert.deepEqual(begun.map(sentTexts), [
    ["Be brief.", "one"],
    ["Be brief.", "one", "1", "two"],
  ]);
});

test("an edited turn takes the place of itself and all after it; their charges stay counted", () => {
  const { playground, begun, sender, said } = rig();
  for (const text of ["one", "two"]) {
    playground.send(sender, said(text));
    begun.at(-1)?.end(`answer to ${text}`);
  }
  const [first] = playground.read().exchanges;
  playground.replace(sender, first?.id ?? 0, said("one, better"));
  assert.deepEqual(sentTexts(begun[2] as Begun), ["one, better"]);
  assert.deepEqual(
    playground.read().exchanges.map(({ text }) => text),
    ["one, better"],
  );
  assert.equal(playground.read().former.length, 2);
});

test("a turn answered again shows its new answer, and the old one's late record counts", () => {
  const { playground, begun, sender, said } = rig();
  playground.send(sender, said("one"));
  begun[0]?.end("broke off");
  const [first] = playground.read().exchanges;
  assert.ok(first !== undefined);
  // As the page does: the whole turn.
  playground.replace(sender, first.id, first);
  begun[1]?.end("whole");
  begun[0]?.end("broke off, and on record");
  assert.deepEqual(
    playground.read().exchanges.map(({ text, run }) => [text, run.answer.text]),
    [["one", "whole"]],
  );
  assert.deepEqual(
    playground.read().former.map(({ answer }) => answer.text),
    ["broke off, and on record"],
  );
});

test("clearing stops what is under way, and its late end brings nothing back", () => {
  const { playground, begun, sender, said, stops } = rig();
  playground.send(sender, said("one"));
  playground.clear();
  begun[0]?.end("late");
  assert.equal(stops(), 1);
  assert.deepEqual(playground.read().exchanges, []);
});

test("what looks on is told, until it leaves", () => {
  const { playground } = rig();
  let told = 0;
  const leave = playground.subscribe(() => {
    told += 1;
  });
  playground.set({ system: "a" });
  leave();
  playground.set({ system: "b" });
  assert.equal(told, 1);
});

test("what is kept comes back in a new page, and goes on with new numbers", () => {
  let kept: string | null = null;
  const keeper = {
    read: () => kept,
    write: (text: string) => {
      kept = text;
    },
  };
  const { begun, sender, said, startFor } = rig();
  const first = createPlayground(startFor, keeper);
  first.send(sender, said("one"));
  begun[0]?.end("1");
  first.set({ draft: { text: "tw", images: [] } });
  first.keep();
  const second = createPlayground(startFor, keeper);
  assert.deepEqual(
    second.read().exchanges.map(({ text, run }) => [text, run.answer.text]),
    [["one", "1"]],
  );
  assert.equal(second.read().draft.text, "tw");
  second.send(sender, said("two"));
  assert.deepEqual(sentTexts(begun[1] as Begun), ["one", "1", "two"]);
  assert.deepEqual(
    second.read().exchanges.map(({ id }) => id),
    [1, 2],
  );
});
