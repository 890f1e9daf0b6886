/** Faults of a request's body and head, in Japanese. */

export const bodyTexts = {
  "body.notJson": "本文が有効な JSON ではありません。",
  "body.tooLarge": "本文は {max} バイト以内にしてください。",
  "body.notUtf8": "本文が有効な UTF-8 ではありません。",
  "body.cutOff": "本文がすべて届く前に接続が終了しました。",
  "body.tooDeep":
    "本文のネストが、このインストール環境の上限である {max} 階層を超えています（{at} バイト目）。",
  "body.tooManyValues":
    "本文の値の数が、このインストール環境の上限である {max} 個を超えています（{at} バイト目）。",
  "body.empty": "本文が空です。JSON オブジェクトを送信してください。",
  "body.notJsonAt": "本文が有効な JSON ではありません：{at} バイト目に予期しない文字または終端があります。",
  "body.notObject": "本文は JSON オブジェクトにしてください。",
  "body.fieldTwice": "フィールド {name} が2回指定されています。1回だけ送信してください。",
  "body.fieldMissing": "必須フィールド {name} がありません。",
  "body.fieldMisspelt":
    "フィールド名は、大文字と小文字も含めて正確に {name} と書いてください。エスケープは使用できません。",
  "body.notNumber": "{path} は数値にしてください。",
  "body.tooLargeNumber": "{path} は {max} 以下にしてください。",
  "body.fieldTooDeep": "{name} のネストが深すぎます。",
  "body.fieldTooLong": "{path} は {max} バイト以内にしてください。",
  "body.compressed":
    "このインストール環境では、圧縮された本文は受け付けていません。Content-Encoding ヘッダーを外してください。",
  "body.otherCoding":
    "この Content-Encoding には対応していません。本文を gzip または zstd で1回だけ圧縮するか、圧縮せずに送信してください。",
  "body.behindEnd": "本文が有効な {coding} ではありません：終端の後に余分なデータがあります。",
  "body.unpacksTooLarge":
    "圧縮された本文を展開すると、このインストール環境の上限である元のサイズの {max} 倍を超えます。",
  "body.endsEarly": "本文が有効な {coding} ではありません：データが途中で終わっています。",
  "body.notUnpacked": "本文が有効な {coding} ではありません：展開に失敗しました。",
  "body.windowTooLarge":
    "本文の圧縮に 8 MiB を超えるウィンドウが使用されています。--ultra と --long を付けずに、より低い zstd レベルを使用してください。",
  "body.notJsonType":
    "本文は JSON にしてください。ヘッダー Content-Type: application/json を送信してください。",
  "body.largerThan": "リクエストの本文が、このインストール環境の上限（{max} バイト）を超えています。",
  "body.otherKind":
    "{name} は{shown:messages=メッセージの配列|boolean=true または false|string=文字列|modelIds=モデル ID の配列|number=数値|object=オブジェクト|array=配列}にしてください。{kind:array=配列|object=オブジェクト|string=文字列|number=数値|true=true|false=false|null=null}が指定されています。",
};
