/** Faults in the inputs of embeddings and legacy completions, in Japanese. */

export const inputTexts = {
  "input.expected":
    "{param} の型が正しくありません：{wanted:a string=文字列|an array of token numbers=トークン番号の配列|a token number=トークン番号|a string, a token number or an array of token numbers=文字列、トークン番号、またはトークン番号の配列|a string, or an array of strings, token numbers or arrays of these=文字列、または文字列、トークン番号、トークン番号の配列のいずれかの配列}が必要ですが、{given:an array=配列|a string=文字列|a boolean=真偽値|an object=オブジェクト|a number=数値|null=null}が指定されています。",
  "input.expectedText": "{param} の型が正しくありません：文字列が必要です。",
  "input.otherType": "{param} の型が正しくありません：{wanted} が必要ですが、別の型が指定されています。",
  "input.decimal": "{param} の型が正しくありません：整数が必要ですが、小数が指定されています。",
  "input.notInteger": "{param} の型が正しくありません：整数が必要ですが、{given} が指定されています。",
  "input.emptyArray": "{param} が正しくありません：配列が空です。1つ以上の要素が必要です。",
  "input.tooMany":
    "{param} が正しくありません：配列が長すぎます。要素は {max} 個までですが、{count} 個指定されています。",
  "input.emptyText": "{param} が正しくありません：空の文字列は指定できません。",
  "input.below": "{param} が正しくありません：{min} 以上の整数が必要ですが、{given} が指定されています。",
  "input.above": "{param} が正しくありません：{max} 以下の整数が必要ですが、{given} が指定されています。",
  "input.encodingFormat": "値が正しくありません：{given}。使用できる値は float と base64 です。",
  "input.missing": "必須パラメーター {param} がありません。",
  "input.noStream": "このエンドポイントはストリーミングに対応していません。stream を外してください。",
  "input.oneModel":
    "models に複数のモデルが指定されています。異なるモデルのベクトルは比較できないため、埋め込みで使用できるモデルは1つだけです。",
  "input.modelNotKnown":
    "Plaza は、このモデルのアップストリームの埋め込みの形式に対応していません。別のアップストリームでモデルを提供するよう、運用者に依頼してください。",
  "input.tokensNotTaken":
    "このモデルのアップストリームはトークン番号を受け付けません。input をテキストで送信してください。",
};
