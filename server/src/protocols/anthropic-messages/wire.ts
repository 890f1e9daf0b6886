/**
 * The parts of Anthropic's Messages format that Plaza writes (docs/wire/anthropic-messages.md section 2).
 * Types only; a test checks them against the official SDK's types.
 */
import type { CacheControl } from "../claude/cache.ts";
import type { Effort } from "../claude/models.ts";
import type { Thinking } from "../claude/thinking.ts";
import type { ThoughtBlock } from "../claude/thoughts.ts";

/** Objects that may carry a cache mark. Marks above the protocol's limit are removed later. */
export interface Markable {
  cache_control?: CacheControl;
}

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

export interface TextBlock extends Markable {
  type: "text";
  text: string;
}

export interface ImageBlock extends Markable {
  type: "image";
  source: { type: "base64"; media_type: ImageType; data: string } | { type: "url"; url: string };
}

export interface DocumentBlock extends Markable {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string;
}

export interface ToolUseBlock extends Markable {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

export interface ToolResultBlock extends Markable {
  type: "tool_result";
  tool_use_id: string;
  content?: string | (TextBlock | ImageBlock | DocumentBlock)[];
  is_error?: boolean;
}

export type ContentBlock = TextBlock | ImageBlock | DocumentBlock;
export type Block = ContentBlock | ToolUseBlock | ToolResultBlock | ThoughtBlock;

export type MessageTurn =
  | { role: "user" | "assistant"; content: Block[] }
  | { role: "system"; content: TextBlock[] };

export interface ToolDeclaration extends Markable {
  name: string;
  description?: string;
  input_schema: { type: "object"; [key: string]: unknown };
  strict?: boolean;
}

export type ToolChoice =
  | { type: "auto" | "any"; disable_parallel_tool_use?: boolean }
  | { type: "tool"; name: string; disable_parallel_tool_use?: boolean }
  | { type: "none" };

/** The body of a call without the model's name, which some routes to Claude put elsewhere. */
export interface MessagesBody {
  max_tokens: number;
  stream?: boolean;
  system?: TextBlock[];
  messages: MessageTurn[];
  tools?: ToolDeclaration[];
  tool_choice?: ToolChoice;
  thinking?: Thinking;
  output_config?: {
    effort?: Effort;
    format?: { type: "json_schema"; schema: { [key: string]: unknown } };
  };
  stop_sequences?: string[];
  temperature?: number;
  top_p?: number;
  top_k?: number;
  metadata?: { user_id: string };
  service_tier?: "auto" | "standard_only";
  cache_control?: CacheControl;
}
