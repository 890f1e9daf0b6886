/**
 * The task every agent program is given, as the steps a model would take: each a thought, a sentence and
 * tool calls. Which of a client's tools does the work is found in `tools.ts`; this file knows no client.
 */

export type Work =
  | { readonly kind: "write"; readonly file: string; readonly text: string }
  | { readonly kind: "edit"; readonly file: string; readonly before: string; readonly after: string }
  | { readonly kind: "run"; readonly command: string; readonly prints: string };

export interface Step {
  readonly thought: string;
  readonly text: string;
  /** Calls made at once; none ends the task. */
  readonly works: readonly Work[];
}

export const prompt =
  "Create hello.txt with a greeting to Tromsø, look at it with a shell command, then change Tromsø to Bergen.";

/** Letters of one to four bytes: a client or gateway that cuts bytes in the wrong place spoils them. */
const greeting = "Hello, Tromsø 你好 🌍";

export const finalText = "The greeting goes to Bergen now. 完成 🎉";

/** Text of an answer to a call that declares no tools, such as the one for a conversation's title. */
export const asideText = "Greeting for Bergen";

export const task: readonly Step[] = [
  {
    thought: "A file is asked for, so I write it first.",
    text: "I create the file.",
    works: [{ kind: "write", file: "hello.txt", text: `${greeting}\n` }],
  },
  {
    thought: "Both commands may run at once.",
    text: "Now two commands.",
    works: [
      // Qwen Code loses what a command prints when the command ends at once.
      { kind: "run", command: "cat hello.txt && sleep 0.3", prints: greeting },
      {
        kind: "run",
        command: "printf '%s\\n' 'made at once' > second.txt && echo second-is-there && sleep 0.3",
        prints: "second-is-there",
      },
    ],
  },
  {
    thought: "The town changes.",
    text: "Now I change the town.",
    works: [{ kind: "edit", file: "hello.txt", before: "Tromsø", after: "Bergen" }],
  },
  { thought: "Nothing is left to do.", text: finalText, works: [] },
];

/** What the folder holds after the task. */
export const filesAfter: Readonly<Record<string, string>> = {
  "hello.txt": `${greeting.replace("Tromsø", "Bergen")}\n`,
  "second.txt": "made at once\n",
};
