/** Prices and limits as they are written, in Japanese. */

export const priceTexts = {
  "price.perMillion":
    '100万トークンあたりの米ドル{where:file=（引用符付き）|form=}、"0" から "1000000" まで、小数点以下9桁まで（例："0.25"）',
  "price.perRequest":
    '1リクエストあたりの米ドル{where:file=（引用符付き）|form=}、"0" から "1000" まで、小数点以下9桁まで（例："0.001"）',
  "price.quoteLike": "すべての桁を保持するには、価格を引用符で囲んでください：{quoted}",
  "price.quote": "すべての桁を保持するには、価格を引用符で囲んでください。入力形式：{form}",
  "price.refused":
    "{given} は{fault:negative=負の値です|signed=符号が付いています|not_a_number=数値ではありません|not_decimal=十進数ではありません|exponent=指数表記です|currency=通貨記号または文字を含んでいます|comma=小数点にコンマを使用しています|too_many_decimals=小数点以下が9桁を超えています|form=価格ではありません}。入力形式：{form}",
  "price.tooLarge": "{given} は {max} を超えています。入力形式：{form}",
  "price.tierWithoutSize": "この段階が適用されるプロンプトの大きさを入力してください",
  "price.tiersUnsorted":
    "前の段階の大きさ {largest} より大きくする必要があります。小さい段階から順に並べてください",
  "price.timeTwice": "このモデルの別の価格と同じ日時です",
  "price.twoBase": "validFrom がなく、{other} にもありません。省略できる価格は1つだけです",
  "price.noBase": "別の価格が始まるまで適用される、validFrom のない価格が1つ必要です",
  "price.limitForm": "0（すべてのリクエストをブロック）から {max} までの整数",
  "price.limitRefused":
    "{given} は{fault:negative=負の値です|signed=符号が付いています|exponent=指数表記です（すべての桁を書いてください）|fraction=小数です|separators=区切り文字を含んでいます（数字だけを書いてください）|too_large=2^53 - 1 を超えています|not_a_number=数値ではありません}。入力できる値：{form}",
  "price.limitGive":
    "{given} は{fault:negative=負の値です|signed=符号が付いています|exponent=指数表記です（すべての桁を書いてください）|fraction=小数です|separators=区切り文字を含んでいます（数字だけを書いてください）|too_large=2^53 - 1 を超えています|not_a_number=数値ではありません}。入力できる値：{form}。",
};
