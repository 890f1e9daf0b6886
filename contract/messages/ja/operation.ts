/** What models are for, in Japanese. */

export const operationTexts = {
  "operation.chat": "チャット",
  "operation.completion": "テキスト補完",
  "operation.embeddings": "埋め込み",
  "operation.rerank": "リランキング",
  "operation.moderation": "モデレーション",
  "operation.image": "画像生成",
  "operation.speech": "音声合成",
  "operation.transcription": "音声認識",
  "operation.list": "{first}、{rest}",
  "operation.and": "{first}と{last}",
};
