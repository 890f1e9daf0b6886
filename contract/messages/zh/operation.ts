/** What models are for, in a sentence, in Chinese. */

export const operationTexts = {
  "operation.chat": "对话",
  "operation.completion": "文本补全",
  "operation.embeddings": "嵌入",
  "operation.rerank": "重排序",
  "operation.moderation": "内容审核",
  "operation.image": "图像生成",
  "operation.speech": "语音合成",
  "operation.transcription": "语音识别",
  "operation.list": "{first}、{rest}",
  "operation.and": "{first}和{last}",
} as const;
