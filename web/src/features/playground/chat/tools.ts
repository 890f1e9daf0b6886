/** Tools a person gives to a model, as the JSON of OpenAI's `tools`. Knows no React. */

/** One tool, as far as it is checked here; the endpoint checks the rest. */
export interface GivenTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly [field: string]: unknown };
}

function isTool(value: unknown): value is GivenTool {
  const tool = value as Partial<GivenTool> | null;
  return tool?.type === "function" && typeof tool.function?.name === "string" && tool.function.name !== "";
}

/** The tools of a text: a list, or one tool. None for an empty text, undefined when it cannot be read. */
export function toolsOf(text: string): readonly GivenTool[] | undefined {
  if (text.trim() === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    const tools: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
    return tools.every(isTool) ? tools : undefined;
  } catch {
    return undefined;
  }
}

/** A tool to begin with. */
export const sampleTool = JSON.stringify(
  [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "Current weather of a city",
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    },
  ],
  null,
  2,
);
