/** Paths, heads and addresses of the server, in Japanese. */

export const serverTexts = {
  "server.routeUnknown": "このルートはありません。すべてのルートは /api/openapi.json で確認できます。",
  "server.checkRunning": "セルフチェックはすでに実行中です。結果をお待ちください。",
  "server.liveFull": "ライブビューが多すぎます。1つ閉じるか、しばらくしてからもう一度お試しください。",
  "server.cursorUnknown": "ページのカーソルが無効です。最初のページからやり直してください。",
  "server.badEncoding": "パスのパーセントエンコーディングが無効です。",
  "server.onlyHealth": "このアドレスで提供しているのは /healthz、/readyz、/metrics だけです。",
  "server.noFigures": "メトリクスはまだありません。",
  "server.getOnly": "このアドレスは GET と HEAD にのみ対応しています。",
  "server.nothingAt": "見つかりません：{method} {path}。{help}",
  "server.endpointHelp":
    "Plaza は POST {paths} を提供しています。クライアントのベース URL を、/v1 で終わるように設定してください。",
  "server.takesOnly": "{path} は {allow} にのみ対応しています。",
  "server.hostHeader": "Host ヘッダーを1つだけ送信してください。",
  "server.hostForm": "Host ヘッダーはホスト名にしてください。ポートも付けられます。",
  "server.targetForm": "リクエストターゲットはパスにしてください（例：/v1/chat/completions）。",
  "server.getWithBody": "GET リクエストに本文を含めることはできません。",
  "server.http10Coding":
    "HTTP/1.0 は Transfer-Encoding に対応していません。Content-Length を送信してください。",
  "server.headersTooMany": "1つのリクエストに含められるヘッダーは {max} 個までです。",
  "server.headLate": "リクエストヘッダーが時間内に届きませんでした。",
  "server.headTooLarge": "リクエストヘッダーが大きすぎます。",
  "server.plainHttp": "このポートは HTTPS です。URL を https:// で始めてください。",
  "server.notHttp": "正しい形式の HTTP/1.1 リクエストではありません。",
  "server.operatorNear":
    "このアドレスを使用できるのは運用者だけです。運用者トークンがない場合、Plaza は同じマシン上のプログラムにのみ応答します。別のマシンから、またはプロキシ経由で使用するには、PLAZA_OPERATOR_TOKEN を設定してください。",
  "server.operatorToken":
    "このアドレスを使用できるのは運用者だけです。PLAZA_OPERATOR_TOKEN に設定したトークンを `Authorization: Bearer …` で送信してください。",
  "server.metricsNear":
    "トークンがない場合、Plaza は同じマシン上のプログラムにのみメトリクスを提供します。別のマシンから読み取るには、PLAZA_METRICS_TOKEN を設定してください。",
  "server.metricsToken":
    "メトリクスにはトークンが必要です。PLAZA_METRICS_TOKEN、またはスコープ health:read を持つ運用者トークンを `Authorization: Bearer …` で送信してください。",
};
