/** The parts of Converse's JSON that Plaza writes (docs/wire/bedrock-converse.md section 2). Types only. */
import type { JsonRecord } from "../../lib/record.ts";

/** `bytes`: base64. */
export interface InlineSource {
  readonly bytes: string;
}

export type ImageFormat = "png" | "jpeg" | "gif" | "webp";
export type DocumentFormat = "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "txt" | "md";

export interface CachePoint {
  readonly cachePoint: { readonly type: "default"; readonly ttl?: "5m" | "1h" };
}

export type ReasoningBlock = {
  readonly reasoningContent:
    | { readonly reasoningText: { readonly text: string; readonly signature?: string } }
    | { readonly redactedContent: string };
};

/** What a tool result may contain. */
export type PlainBlock =
  | { readonly text: string }
  | { readonly image: { readonly format: ImageFormat; readonly source: InlineSource } }
  | {
      readonly document: {
        readonly format: DocumentFormat;
        readonly name: string;
        readonly source: InlineSource;
      };
    };

export type Block =
  | PlainBlock
  | { readonly audio: { readonly format: string; readonly source: InlineSource } }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: JsonRecord } }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly content: readonly PlainBlock[];
        readonly status?: "error";
      };
    }
  | ReasoningBlock
  | CachePoint;

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: readonly Block[];
}

export type ToolChoice =
  | { readonly auto: JsonRecord }
  | { readonly any: JsonRecord }
  | { readonly tool: { readonly name: string } };

export type ToolEntry =
  | {
      readonly toolSpec: {
        readonly name: string;
        readonly description?: string;
        readonly inputSchema: { readonly json: JsonRecord };
        readonly strict?: boolean;
      };
    }
  | CachePoint;

export interface ToolConfig {
  readonly tools: readonly ToolEntry[];
  readonly toolChoice?: ToolChoice;
}

export interface ConverseBody {
  readonly system?: readonly ({ readonly text: string } | CachePoint)[];
  readonly messages: readonly Message[];
  readonly inferenceConfig?: {
    readonly maxTokens?: number;
    readonly temperature?: number;
    readonly topP?: number;
    readonly stopSequences?: readonly string[];
  };
  readonly toolConfig?: ToolConfig;
  readonly outputConfig?: {
    readonly textFormat: {
      readonly type: "json_schema";
      readonly structure: {
        readonly jsonSchema: {
          readonly schema: string;
          readonly name: string;
          readonly description?: string;
        };
      };
    };
  };
  readonly serviceTier?: { readonly type: "flex" | "priority" };
  readonly guardrailConfig?: { readonly guardrailIdentifier: string; readonly guardrailVersion: string };
  readonly additionalModelRequestFields?: JsonRecord;
}
