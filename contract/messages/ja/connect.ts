/** Why something cannot be connected, or the machine's identity gives no credential, in Japanese. */

export const connectTexts = {
  "connect.serviceUnknown":
    "サービス {service} はありません{guess}。ベース URL も指定できます（例：http://127.0.0.1:8000/v1）",
  "connect.noSuchService":
    "このサービスはありません{guess}。ベース URL も指定できます（例：http://127.0.0.1:8000/v1）",
  "connect.baseUrl": "ベース URL：{fault}",
  "connect.addressUnknown":
    "{service} には決まったアドレスがありません。ベース URL を入力してください（例：{form}）",
  "connect.serviceEnded": "{service} は {on} に提供を終了しました。{note}",
  "connect.nothingSaid": "接続先として、サービス（{services}）またはベース URL を指定してください",
  "connect.timeout": "{place} からのレスポンスが {time} 以内に完了しませんでした",
  "connect.tooLarge": "{place} が {megabytes} MB を超えるデータを返しました。モデルの一覧ではありません",
  "connect.nothingListens": "接続が拒否されました。サーバーが動作していることを確認してください",
  "connect.hostUnknown": "ホストが見つかりません",
  "connect.lookupFailed": "DNS の名前解決に失敗しました",
  "connect.connectTimeout": "{time} 以内に接続できませんでした",
  "connect.failed": "接続に失敗しました",
  "connect.failedWithCode": "接続に失敗しました（{code}）",
  "connect.proxyAnswered": "経由するプロキシが {status} を返しました",
  "connect.proxyBroke": "経由するプロキシが接続を切断したか、HTTP のプロキシではありません",
  "connect.unreachable": "{place} に接続できません：{why}",
  "connect.noToken": "認証情報に対してトークンが返されませんでした",
  "connect.tokenRefused":
    "{place} がこの認証情報に対してトークンを発行しませんでした（{status}）。何も保存されていません",
  "connect.credentialBroken": "この認証情報をトークンと交換できません。何も保存されていません",
  "connect.redirects":
    "{place} はリダイレクトしますが（{status}）、Plaza はリダイレクトに従いません。新しいアドレスを入力してください",
  "connect.redirectsTo":
    "{place} は {to} にリダイレクトしますが（{status}）、Plaza はリダイレクトに従いません。新しいアドレスを入力してください",
  "connect.credentialMissing": "{place} には認証情報が必要です（{status}）",
  "connect.credentialRefused": "{place} が認証情報を拒否しました（{status}）。何も保存されていません",
  "connect.accountUsedUp":
    "{place} から、支払いが済んでいないか、クォータが残っていないと報告されました（{status}）",
  "connect.otherStatus": "{place} がモデルの一覧ではなく、ステータス {status} を返しました",
  "connect.noList":
    "{place} がモデルの一覧ではなく、{what:page=Web ページ|other=別の内容}を返しました。API のベース URL であることを確認してください",
  "connect.nameNotOneLine": "名前が {max} 文字以内の1行ではありません",
  "connect.notServedYet": "このバージョンの Plaza は{operations}にまだ対応していません",
  "connect.modelIsFor": "この ID のモデルは{operations}用です",
  "connect.noChatModel": "チャットモデルではありません",
  "connect.noChatModelBut": "チャットモデルではありません（{kind}）",
  "identity.notSupported": "プロバイダー {provider} はワークロード ID に対応していません",
  "identity.noAnswer": "ワークロード ID：{place} が {time} 以内に応答しませんでした",
  "identity.unreachable": "ワークロード ID：{place} に接続できません（{code}）",
  "identity.refused": "ワークロード ID：{place} が認証情報を発行しませんでした（{status}{reason}）",
  "identity.unreadable": "ワークロード ID：{place} は応答しましたが、内容が認証情報ではありません",
  "identity.expired": "ワークロード ID：{place} の認証情報は期限が切れています",
  "identity.setting": "ワークロード ID：{name} が設定されていないか、使用できません",
  "identity.file": "ワークロード ID：{name} で指定されたファイルを読み取れません",
  "identity.fileContent": "ワークロード ID：{name} で指定されたファイルを使用できません（{field}）",
  "identity.noRole": "ワークロード ID：このマシンにはロールがありません（問い合わせ先：{place}）",
  "identity.hops":
    "ワークロード ID：{place} が {time} 以内に応答しませんでした。AWS の外では使用できません。コンテナの中で使用するには、インスタンスのメタデータオプションのホップ制限を 2 にする必要があります",
};
