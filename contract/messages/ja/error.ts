/** Errors of the catalogue, in Japanese. */

export const errorTexts = {
  "error.invalid_request": "リクエストが正しくありません。",
  "error.unsupported_parameter": "このモデルはパラメーターの1つに対応していません。",
  "error.wrong_endpoint": "このエンドポイントはこのモデルに対応していません。",
  "error.context_length_exceeded": "このモデルの最大コンテキスト長では、このリクエストを処理できません。",
  "error.content_filter":
    "モデルのコンテンツポリシーがリクエストをブロックしました（content_policy_violation）。",
  "error.invalid_api_key": "API キーが正しくありません。",
  "error.api_key_expired": "API キーの期限が切れています。",
  "error.api_key_disabled": "API キーは無効にされています。",
  "error.not_signed_in": "サインインしていません。",
  "error.sign_in_failed": "メールアドレス、パスワード、またはコードが正しくありません。",
  "error.second_factor_required": "サインインするには、認証アプリのコードを入力してください。",
  "error.insufficient_balance":
    "アカウントの残高がこのリクエストには足りません。チャージしてから、もう一度お試しください。",
  "error.budget_exceeded": "この API キーは現在の期間の予算を使い切りました。",
  "error.model_not_allowed": "この API キーではこのモデルを使用できません。",
  "error.ip_not_allowed": "この IP アドレスからこの API キーを使用することはできません。",
  "error.not_permitted": "アクセス権がありません。",
  "error.forgery_suspected":
    "Plaza のページから送信されていないため、リクエストを拒否しました。ページを再読み込みして、もう一度お試しください。",
  "error.account_suspended": "このアカウントは一時停止されています。",
  "error.model_not_found": "モデルが存在しないか、アクセス権がありません。",
  "error.not_found": "見つかりません。",
  "error.method_not_allowed": "このアドレスはこの HTTP メソッドに対応していません。",
  "error.websocket_not_supported":
    "このアドレスは WebSocket では提供されていません。HTTP でリクエストを送信し、server-sent events でストリーミングしてください。",
  "error.request_timeout": "リクエストが時間内に届きませんでした。",
  "error.idempotency_in_flight": "この Idempotency-Key のリクエストはまだ処理中です。",
  "error.idempotency_answer_not_kept":
    "この Idempotency-Key のリクエストには応答済みですが、レスポンスが大きすぎて保存されていません。",
  "error.changed_meanwhile": "読み込んだ後に、別のユーザーがこの項目を変更しました。",
  "error.already_exists": "この名前の項目はすでに存在します。",
  "error.managed_by_file": "この項目はカタログファイルで管理されています。そちらで変更してください。",
  "error.already_used": "すでに使用されています。",
  "error.request_too_large": "リクエストの本文が大きすぎます。",
  "error.unsupported_media_type":
    "本文は Content-Type: application/json の JSON である必要があります。gzip または zstd で圧縮できます。",
  "error.idempotency_key_reused": "この Idempotency-Key は、本文の異なるリクエストで使用されています。",
  "error.rate_limit_exceeded": "リクエストが多すぎます。",
  "error.too_many_attempts": "試行回数が多すぎます。しばらく待ってから、もう一度お試しください。",
  "error.internal_error": "内部エラーのため、Plaza はこのリクエストを処理できませんでした。",
  "error.upstream_error": "このモデルのアップストリームでエラーが発生しました。",
  "error.no_available_upstream": "このモデルに利用可能なアップストリームがありません。",
  "error.overloaded":
    "Plaza は処理能力の上限に達しているか、再起動中です。しばらくしてからもう一度お試しください。",
  "error.ledger_unavailable": "現在、リクエストを記録できません。しばらくしてからもう一度お試しください。",
  "error.unsupported_http_version":
    "このポートは HTTP/1.1 のみに対応しています。クライアントを HTTP/1.1 に設定するか（curl --http1.1）、HTTP/2 対応のプロキシを前段に置いてください。",
  "error.upstream_timeout": "このモデルのアップストリームが時間内に応答しませんでした。",
};
