/** The parts of Gemini's requests that Plaza writes (docs/wire/gemini.md section 2). Types only. */

/** The Gemini API and Vertex AI accept the same bodies, each with a few fields of its own. */
export type Api = "gemini" | "vertex";

export interface Blob {
  readonly mimeType: string;
  readonly data: string;
}

export interface Part {
  readonly text?: string;
  readonly inlineData?: Blob;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: object };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: object };
  /** Base64; belongs to exactly this part. */
  readonly thoughtSignature?: string;
}

export interface Content {
  readonly role: "user" | "model";
  readonly parts: Part[];
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: object;
}

export interface ThinkingConfig {
  readonly includeThoughts?: boolean;
  readonly thinkingBudget?: number;
  readonly thinkingLevel?: string;
}

export interface GenerationConfig {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly candidateCount?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly responseLogprobs?: boolean;
  readonly logprobs?: number;
  readonly responseMimeType?: string;
  readonly responseJsonSchema?: object;
  readonly responseModalities?: readonly string[];
  readonly thinkingConfig?: ThinkingConfig;
}

export interface FunctionCallingConfig {
  readonly mode: "AUTO" | "ANY" | "NONE" | "VALIDATED";
  readonly allowedFunctionNames?: readonly string[];
}

export interface SafetySetting {
  readonly category: string;
  readonly threshold: string;
}

export type ToolEntry =
  | { readonly functionDeclarations: readonly FunctionDeclaration[] }
  | { readonly googleSearch: Record<string, never> };

export interface GenerateContentRequest {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly Content[];
  readonly tools?: readonly ToolEntry[];
  readonly toolConfig?: { readonly functionCallingConfig: FunctionCallingConfig };
  readonly generationConfig?: GenerationConfig;
  readonly safetySettings?: readonly SafetySetting[];
  readonly serviceTier?: string;
}
