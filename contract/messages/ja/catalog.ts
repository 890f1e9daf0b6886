/** The catalog and its upstreams, in Japanese. */

export const catalogTexts = {
  "catalog.variableNotOwn": "このアドレスでは、{service} のキーにこの変数は使用されません。",
  "catalog.variableUnset": "環境変数 {variable} が設定されていません。",
  "catalog.credentialNeeded": "{service} には認証情報が必要です。",
  "catalog.credentialsUnreadable":
    "保存された認証情報を復号できません。アップストリームのページで再入力してください。",
  "catalog.upstreamUnknown": "アップストリーム {id} が見つかりません。",
  "catalog.modelUnknown": "モデル {id} が見つかりません。",
  "catalog.credentialsAgain":
    "認証情報を再入力してください。保存されているものは、以前のアドレスとプロバイダーのものです。",
  "catalog.modelOfFile":
    "{id} は plaza.yaml のモデルです。そちらにデプロイメントを追加するか、別の ID を選んでください",
  "catalog.modelOfFileHere":
    "このモデルはすでに plaza.yaml で定義されています。そちらにデプロイメントを追加するか、別の ID を選んでください。",
  "catalog.idTwice": "リストの {number} 番目の項目が同じ ID を使用しています。",
  "catalog.limitsOfFile": "制限はカタログファイルで管理されています。そちらで変更してください。",
  "catalog.usedByModels":
    "次のモデルがこのアップストリームを使用しています：{models}。先に変更または削除してください。",
  "catalog.fallenBackTo":
    "次のモデルがこのモデルをフォールバックとして使用しています：{models}。先に変更してください。",
  "catalog.fallbackLoop": "フォールバックが循環し、このモデルに戻っています。",
  "catalog.thingUnknown": "{what:upstream=アップストリーム|model=モデル|limits=制限} {id} が見つかりません。",
  "catalog.thingOfFile":
    "{what:upstream=アップストリーム|model=モデル|limits=制限} {id} はカタログファイルで管理されています。そちらで変更してください。",
  "catalog.thingExists":
    "{what:upstream=アップストリーム|model=モデル|limits=制限} {id} はすでに存在{what:*=します}。",
  "catalog.full":
    "カタログの{what:upstream=アップストリーム|model=モデル}が上限の {max} 件に達しています。先にいくつか削除してください。",
  "catalog.thingRemoved":
    "編集中に、別のユーザーが{what:upstream=アップストリーム|model=モデル|limits=制限} {id} を削除しました。",
  "catalog.andMore": "{names}、ほか {more} 件",
  "upstream.words": "{text}",
  "upstream.tooLarge": "リクエストが大きすぎるため、アップストリームが拒否しました。",
  "upstream.refusedGateway":
    "このモデルのアップストリームが、Plaza の認証情報または設定を拒否しました。運用者に連絡してください。",
  "upstream.limiting":
    "このモデルのアップストリームがリクエストのレートを制限しています。しばらくしてからもう一度お試しください。",
  "upstream.overMinute":
    "このリクエストはアップストリームの1分あたりの制限を超えています。再試行しても成功しません。リクエストを小さくしてください。",
  "upstream.overloaded": "このモデルのアップストリームが過負荷です。しばらくしてからもう一度お試しください。",
  "upstream.contextMax": "このモデルの最大コンテキスト長は {limit} トークンです。",
  "upstream.withDetail": "{beginning}{detail}",
  "upstream.shorten": "メッセージを短くするか、出力を減らすか、コンテキストの大きいモデルを選んでください。",
  "upstream.changePrompt": "プロンプトを変更してください。繰り返しても結果は同じです。",
};
