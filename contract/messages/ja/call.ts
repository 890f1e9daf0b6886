/** Refusals of a call of the data plane, in Japanese. */

export const callTexts = {
  "call.bodiesFull":
    "Plaza が受信しているリクエスト本文の合計サイズが上限に達しています。しばらくしてからもう一度お試しください。",
  "call.stopped":
    "レスポンスが完了する前に、この Plaza プロセスが停止しました。リクエストをもう一度送信してください。",
  "call.chargedApart":
    "{param} を指定すると、このモデルのアップストリームで別料金が発生しますが、その価格が設定されていません。指定を外すか、許可するよう運用者に依頼してください。",
  "call.filesTooMany":
    "Plaza が URL から取得するファイルは、1リクエストあたり {max} 個までです。残りはインラインで送信してください。",
  "call.filesTooLarge": "これらの URL のファイルの合計が {max} を超えています。ファイルを減らしてください。",
  "call.balanceUnread": "現在、残高を読み取れません。しばらくしてからもう一度お試しください。",
  "call.fileUnknown":
    "{param} はアップストリームに保存されたファイルを指していますが、このアカウントが Plaza 経由で保存したものではありません。ファイル自体を送信してください。",
  "call.upstreamIdUnknown":
    "{param} はアップストリームにあるものを指していますが、このアカウントが Plaza 経由で受け取ったものではありません。指定を外してください。",
  "call.upstreamParted":
    "{param} は特定のアップストリームにあるものを指していますが、このリクエストをそこへ送ることはできません。モデルのデプロイメントが現在そこにないか、別の ID が他の場所にあります。内容自体を送信するか、新しく作成させてください。",
  "call.headerOdd": "ヘッダー {name} は、表示可能な ASCII 文字 {max} 文字以内にしてください。",
  "call.threadUnheld":
    "会話は次の呼び出しまで保持されません。会話全体をもう一度送信してください。Anthropic の SDK はこれを自動的に行います。",
  "call.tokensUncounted":
    "モデル {model} には、トークンを数えられるアップストリームがありません。クライアントで見積もってください。",
  "call.inputForMessages":
    "messages がありません。input は Responses 形式のものです。クライアントを OpenAI の Responses API（POST /v1/responses を呼び出します）に設定するか、messages を送信してください。",
  "call.toolOfMessages":
    "{param} は Messages 形式のものです。スキーマをツールの function.parameters として送信するか、クライアントを Anthropic の API（POST /v1/messages を呼び出します）に設定してください。",
  "call.messagesEmpty": "{param} にはメッセージが1つ以上必要です。",
  "call.streamOptionsAlone": "stream_options を使用できるのは、stream が true の場合だけです。",
  "call.modelTooLong": "model が長すぎます。",
  "call.modelEmpty": "model を空にすることはできません。",
  "call.modelsTooMany": "models に指定できるモデル ID は {max} 個までです。",
  "call.modelsNotIds": "models[{index}] は、1 から {max} 文字の文字列のモデル ID にしてください。",
  "call.modelUnknown":
    "モデル {model} が存在しないか、アクセス権がありません。このキーで使用できるモデルは GET /v1/models で確認できます。",
  "call.requestUnread": "現在、リクエストを読み取れません。しばらくしてからもう一度お試しください。",
  "call.requestUnknown":
    "この API キーにこのリクエストはありません。ID はレスポンスの x-request-id で、レスポンスが完了すると使用できます。",
  "call.stopping":
    "この Plaza プロセスは停止中です。リクエストをもう一度送信してください。別のプロセスが処理します。",
  "call.memoryShort": "Plaza のメモリが不足しています。しばらくしてからもう一度お試しください。",
  "call.atCapacity": "Plaza が処理能力の上限に達しています。しばらくしてからもう一度お試しください。",
  "call.requestsFull":
    "Plaza が処理中のリクエストの数が上限に達しています。しばらくしてからもう一度お試しください。",
  "call.keyIncorrect": "API キーが正しくありません：{shown}。{why}",
  "call.keyMissing":
    "API キーが正しくありません：キーが送信されていません。次のヘッダーで送信してください：Authorization: Bearer sk-plaza-…",
  "call.keysDiffer":
    "API キーが正しくありません：{first} と {other} のキーが異なります。キーを1つだけ、1か所で送信してください。",
  "call.keyForm":
    "API キーが正しくありません：Authorization ヘッダーは次の形式にしてください：Bearer sk-plaza-…",
  "call.keyNotOurs":
    "有効な Plaza の API キーではありません。キーは sk-plaza- で始まりチェックサムで終わりますが、チェックサムが一致しません。入力ミスや文字の欠落がないか確認してください。",
  "call.keyOfOther":
    "これは {service} のキーで、Plaza のキーではありません。クライアントの {settings} に、sk-plaza- で始まるキーを設定してください。",
  "call.addressUnknown":
    "この API キーを使用できる IP アドレスは制限されていますが、接続元のアドレスを特定できません。",
  "call.addressOther": "接続元の IP アドレス {address} からこの API キーを使用することはできません。",
  "call.keyRevoked": "このキーは失効しています。別のキーを使用してください。",
  "call.keyDisabled": "このキーは無効にされています。有効にするか、別のキーを使用してください。",
  "call.keyExpired": "このキーは {expired} に期限が切れました。別のキーを使用してください。",
  "call.keyEnded": "このキーはもう使用できません。別のキーを使用してください。",
  "call.keyUnknown": "キーが存在しません。このインストール環境のキーであることを確認してください。",
  "call.keyUnchecked": "現在、API キーを確認できません。しばらくしてからもう一度お試しください。",
  "call.idempotencyKeyForm":
    "ヘッダー Idempotency-Key は、表示可能な ASCII 文字 1 から 255 文字にし、1回だけ送信してください。",
  "call.idempotencyUnchecked":
    "現在、Idempotency-Key を確認できません。しばらくしてからもう一度お試しください。",
  "call.idempotencyElsewhere":
    "この Idempotency-Key のリクエストを処理したプロセスは停止しており、レスポンスがそのマシンに残っている可能性があります。しばらくしてからもう一度お試しください。そのレスポンスが返されるか、Plaza がリクエストを改めて実行します。",
  "call.idempotencyNotKept":
    "この Idempotency-Key のリクエストには {requestId} として応答し、料金も請求済みですが、レスポンスが大きすぎて保存されていません。もう一度実行するには、新しいキーを使用してください。",
  "call.stoppedAfterCaller":
    "クライアントが切断したため、Plaza はレスポンスを停止しました。生成済みの分には料金が発生します。",
  "call.idempotencyOtherModel":
    "このリクエストに応答したのは、この API キーでは使用できないモデルです。元のキーで再試行するか、新しい Idempotency-Key を使用してください。",
  "call.tooManyOfKey":
    "この API キーで送信され、拒否されたリクエストが多すぎます。エラーの原因を解消し、しばらく待ってから再試行してください。",
  "call.tooManyOfAddress":
    "このアドレスから送信され、拒否されたリクエストが多すぎます。エラーの原因を解消し、しばらく待ってから再試行してください。",
  "call.modelNotAllowed":
    "この API キーではモデル {model} を使用できません。このキーで使用できるモデルは GET /v1/models で確認できます。",
  "call.wrongEndpoint": "モデル {model} は{operations}用です。POST {path} を使用してください。",
  "call.modelNotServedYet":
    "モデル {model} は{operations}用ですが、このバージョンの Plaza はまだ対応していません。",
  "call.operationLacking":
    "モデル {model} には、{operation}に対応するアップストリームがありません。対応するアップストリームの追加を運用者に依頼してください。",
  "call.modelNotPriced":
    "モデル {model} はまだ価格がないため、呼び出せません。価格の設定を運用者に依頼してください。",
  "call.modelDisabled": "モデル {model} は運用者が無効にしています。別のモデルを選んでください。",
  "call.fileUnavailable":
    "この URL のファイルを取得できませんでした。data: URL としてインラインで送信してください。",
  "call.fileAddress": "URL は https://host/path の形式にしてください。",
  "call.fileNotHttps":
    "Plaza が取得するのは https:// の URL だけです。ファイルを data: URL としてインラインで送信してください。",
  "call.fileRedirected":
    "この URL はリダイレクトしますが、Plaza はリダイレクトに従いません。最終的な URL を送信してください。",
  "call.fileKind": "このモデルは、この URL のファイルの種類を受け付けません。",
  "call.fileTooLarge": "この URL のファイルは {max} MiB を超えています。",
  "call.fileTimeout":
    "この URL のファイルが時間内に届きませんでした。data: URL としてインラインで送信してください。",
  "call.filesOff":
    "このインストール環境では、URL からファイルを取得しません。ファイルを data: URL としてインラインで送信してください。",
};
