/** What models are for, in Japanese. */

export const operationTexts = {
  "operation.chat": "チャット",
  "operation.completion": "テキスト補完",
  "operation.embeddings": "埋め込み",
  "operation.rerank": "リランク",
  "operation.moderation": "モデレーション",
  "operation.image": "画像生成",
  "operation.speech": "テキスト読み上げ",
  "operation.transcription": "音声文字起こし",
  "operation.list": "{first}、{rest}",
  "operation.and": "{first}と{last}",
};
