/** What models are for, as every page says it, in Chinese. */
import type { operationMessages } from "../en/operations.ts";
import type { Translation } from "../messages.ts";

export const operationsChinese: Translation<typeof operationMessages> = {
  operation: "用途",
  operations: "用途",
  allOperations: "全部用途",
  "operation.chat": "对话",
  "operation.completion": "文本补全",
  "operation.embeddings": "嵌入",
  "operation.rerank": "重排序",
  "operation.moderation": "内容审核",
  "operation.image": "图像生成",
  "operation.speech": "语音合成",
  "operation.transcription": "语音识别",
};
