/** What the boot settings mean, in Japanese. */

export const settingTexts = {
  "setting.host":
    "待ち受けるアドレスです。0.0.0.0 または :: を指定すると、このマシンのすべてのアドレスで待ち受けます。",
  "setting.port": "待ち受けるポートです。0 を指定すると、システムが選択します。",
  "setting.tlsCert.unset": "なし：暗号化しない HTTP",
  "setting.tlsCert":
    "PEM 形式の証明書チェーンです。サーバー自身の証明書を先頭に置きます。設定すると、コンソール専用のアドレスも含めて HTTPS で提供します。ホスト名が複数ある場合は、ファイルをコンマで区切ります。変更されると読み込み直します（docs/operate/tls.md）。",
  "setting.tlsKey.unset": "なし",
  "setting.tlsKey":
    "`tlsCert` の秘密鍵です。PEM 形式で、パスフレーズは付けません。複数ある場合は、証明書と同じ順序で指定します。",
  "setting.dataDir": "データベースとキーファイルのディレクトリです。存在しない場合は作成します。",
  "setting.database":
    "アカウント、キー、カタログ、リクエストのデータベースです。フラグではなく環境変数を使用すると、パスワードがプロセス一覧に表示されません。",
  "setting.databaseWaitMs": "起動時に、まだ応答しない PostgreSQL サーバーを待つ時間です。",
  "setting.databaseConnections":
    "プロセスごとの PostgreSQL の最大接続数です。このほかに、コンソールの集計に2つ、スキーマの変更中に1つ使用します（計算方法は docs/operate/operations.md を参照）。",
  "setting.migrate":
    "古いデータベースのスキーマを何が変更するかを指定します。`auto` では、すべてのサーバーとコマンドが処理の前に変更します。`manual` では `plaza migrate` だけが変更し、それまでサーバーとコマンドは起動を拒否します（docs/operate/upgrades.md）。",
  "setting.catalog.unset": "なし：以前に適用したカタログ、またはデモモデル",
  "setting.catalog": "カタログファイル（plaza.yaml）です。起動時と、変更のたびに適用します。",
  "setting.workers": "同じポートでリクエストを処理するプロセスの数です。",
  "setting.secretKey.unset": "データディレクトリのキーファイル `secret.key`。存在しない場合は作成します",
  "setting.secretKey":
    "データベースのアップストリームの認証情報を暗号化するキーです。紛失した場合は、認証情報を再入力する必要があります。",
  "setting.operatorToken.unset":
    "なし：運用者のパスは、このマシン上のプログラムにのみ応答し、プロキシ経由では応答しません",
  "setting.operatorToken":
    "運用者のすべての権限を持つ Bearer トークンです。運用者のパスである `/api/upstreams` と `/metrics`、およびコンソール API のすべてに使用できます。監視システムには渡さず、代わりに `metricsToken` を使用してください。",
  "setting.metricsToken.unset":
    "なし：`/metrics` には運用者トークンを使用します。それもない場合は、このマシン上のプログラムにのみ応答します",
  "setting.metricsToken": "`/metrics` 専用の Bearer トークンです。Prometheus で使用します。",
  "setting.transport":
    "HTTP を扱うコードです。`own` は Plaza 独自の接続で、リクエストあたりの CPU 使用量が少なくなります。`node` は、Node と undici が提供するライブラリです。アップストリームと呼び出し元から見た違いはありません。",
  "setting.egressProxy.unset": "なし：Plaza はアップストリームに直接接続します",
  "setting.egressProxy":
    "Plaza がアップストリームへの接続に使用する HTTP プロキシ（CONNECT）です。ユーザー名とパスワードも指定できます。このマシン上のアップストリーム（localhost、127.0.0.0/8、::1）には直接接続します。リクエストのために取得するファイルは、アドレスを検査する必要があるため、プロキシを経由しません（docs/operate/security.md）。",
  "setting.upstreamProxies.unset": "なし：すべてのアップストリームを PLAZA_EGRESS_PROXY に従って呼び出します",
  "setting.upstreamProxies":
    "個々のアップストリームのプロキシです。ID ごとに空白で区切って指定し、使用しない場合は direct とします：vllm=direct openai=http://proxy.example.com:3128。PLAZA_EGRESS_PROXY より優先され、このマシン上のアップストリームにも適用されます。",
  "setting.logLevel": "書き込むログの最低レベルです（出力先は標準エラー出力）。",
  "setting.logRequests":
    "記録したリクエストごとに、ID、モデル、ステータス、トークン、料金、時間のログを1行書き込みます。プロンプトとレスポンスは書き込みません。",
  "setting.otlpEndpoint.unset": "なし：トレースを送信しません",
  "setting.otlpEndpoint":
    "記録したリクエストごとのトレースを受信する OpenTelemetry コレクターです。HTTP ではこのアドレスの下の `/v1/traces` に、gRPC ではそのホストとポートに送信します（`OTEL_EXPORTER_OTLP_ENDPOINT` からも読み込みます）。",
  "setting.otlpProtocol":
    "コレクターへのトレースの送信方法です。JSON または protobuf の OTLP over HTTP、または gRPC です（`OTEL_EXPORTER_OTLP_PROTOCOL` からも読み込みます）。",
  "setting.otlpHeaders.unset": "なし",
  "setting.otlpHeaders":
    "コレクターに送信するヘッダー、または gRPC メタデータです（`OTEL_EXPORTER_OTLP_HEADERS` からも読み込みます）。",
  "setting.publicUrl.unset": "`http://HOST:PORT/v1`、または `https`",
  "setting.publicUrl":
    "呼び出し元に表示する base_url です。プロキシの背後にある場合など、待ち受けるアドレスと異なるときに指定します。",
  "setting.consoleListen.unset": "コンソールとその API は `/v1` と同じアドレスです",
  "setting.consoleListen":
    "コンソールとその API（`/api`）専用のアドレスです。設定すると、`/v1` のアドレスではどちらも提供されなくなります。`/api/upstreams` だけは両方で提供されます。",
  "setting.healthListen.unset": "`/v1` のアドレスのみ。過負荷のプロセスでは応答が遅くなります",
  "setting.healthListen":
    "`/healthz`、`/readyz`、`/metrics` 専用のアドレスです。専用のスレッドが応答するため、プロセスがビジーでも影響を受けません。プローブに使用します（docs/operate/operations.md）。",
  "setting.healthStallMs":
    "リクエストを処理するプロセスのイベントループが停止してから、`healthListen` の `/healthz` が 503 を返すまでの時間です。オーケストレーターがプロセスを再起動できるようにします。",
  "setting.trustedProxies":
    "Plaza の前段にあるプロキシのネットワークです。その `X-Forwarded-For` を信頼します。コンソールは `X-Forwarded-Proto` と `-Host` も信頼します。",
  "setting.oidcIssuer.unset": "なし：パスワードでサインインします",
  "setting.oidcIssuer":
    "サインインに使用する OpenID Connect プロバイダーです。`oidcClientId` が必要です（docs/operate/console.md）。",
  "setting.oidcClientId.unset": "なし",
  "setting.oidcClientId":
    "プロバイダーでの、このインストール環境のクライアント ID です。リダイレクト URI は `https://CONSOLE/api/oidc/callback` です。",
  "setting.oidcClientSecret.unset": "なし：パブリッククライアント",
  "setting.oidcClientSecret": "プロバイダーでの、このインストール環境のクライアントシークレットです。",
  "setting.oidcName": "サインインのボタンに表示するプロバイダーの名前です。",
  "setting.oidcSignUp":
    "プロバイダーに登録されていて、招待されていない人に、ユーザーと空のアカウントを作成するかどうかを指定します。",
  "setting.corsOrigins":
    "ブラウザーから `/v1` を呼び出せる Web オリジンです。キーはプログラムが明示的に送信するため、`*` を指定しても何も漏れません。",
  "setting.refusedCallsPerMinute":
    "API キーごと、および有効なキーのないアドレスごとに、Plaza が検査する1分あたりの拒否されたリクエストの数です。それを超えると、記録せずに直ちに 429 で拒否します。",
  "setting.apiWritesPerMinute":
    "1分あたりに許可する、コンソールの1つのセッションでの変更の数、およびサインインしていない1つのアドレスからのリクエストの数です。運用者トークンではその10倍です。",
  "setting.bodyBytesMax":
    "リクエスト本文の最大サイズです。圧縮された本文では、展開後のサイズにも適用されます。",
  "setting.requestCompression":
    "gzip または zstd で圧縮されたリクエスト本文を `/v1` で受け付けるかどうかを指定します。オフの場合は 415 で拒否します。",
  "setting.jsonDepthMax": "リクエストのオブジェクトと配列の最大のネストの深さです。",
  "setting.jsonValuesMax": "リクエストの JSON の値の最大数です。",
  "setting.headersTimeoutMs": "リクエストのヘッダーが届くまでの制限時間です。",
  "setting.bodyStallMs": "リクエスト本文の受信中に許容する中断の最大時間です。",
  "setting.bodyRateMin":
    "リクエスト本文を受信する最低の平均速度（バイト/秒）です。許容される最初の中断の後から測定します。",
  "setting.keepAliveTimeoutMs":
    "Plaza がアイドル状態のクライアント接続を保持する時間です。Plaza の前段にあるプロキシより長くする必要があります。",
  "setting.connectionsMax": "プロセスごとの最大クライアント接続数です。それを超える接続は直ちに閉じます。",
  "setting.inFlightMax":
    "プロセスごとの最大同時リクエスト数です。それを超えるリクエストは 503 `overloaded` で拒否します。本文の大きいリクエストは、この値の4分の3を超えると拒否します。",
  "setting.bodiesBytesMax":
    "プロセスごとの、処理中のリクエスト本文の最大合計サイズです。単独の本文は常に受け付けます。",
  "setting.loopLagMaxMs":
    "イベントループの継続的な遅延がこの値を超えると、新しいリクエストを 503 `overloaded` で拒否します。",
  "setting.heapPercentMax":
    "完全なガベージコレクション後のヒープの使用率がこの値を超えると、新しいリクエストを 503 `overloaded` で拒否します。",
  "setting.successPercentMin":
    "モデルの直近約30秒間の成功率の下限です。これを下回ると、ステータスが `degraded` になります。呼び出し元によるエラーは数えません。",
  "setting.keepAliveCommentMs":
    "ストリームにデータがない状態がこの時間続くと、Plaza は接続を維持するためのコメント行を送信します。",
  "setting.eventBytesMax": "アップストリームのストリームに含まれる、1つのイベントの最大サイズです。",
  "setting.answerBytesMax": "アップストリームの一括（ストリーミングでない）レスポンスの最大サイズです。",
  "setting.stalledReaderMs":
    "この時間にわたってレスポンスをまったく読み取らないクライアントを、Plaza は切断します。システムのバッファーにあるデータは読み取り済みとみなします。それより大きいレスポンスでは、クライアントはこの時間内に最大 1 MB を読み取る必要があります。",
  "setting.idempotencyKeptMs":
    "`Idempotency-Key` を指定したリクエストのレスポンスを、Plaza が保存して再び返す時間です。",
  "setting.idempotencyBytesMax":
    "`Idempotency-Key` のために保存するレスポンスの最大サイズです。レスポンスがこれより大きいリクエストは、繰り返すと拒否され、再び請求されることはありません。",
  "setting.shareReasoning":
    "アップストリームがツールのループで送り返すよう求める推論を、別のプロセスに届くターンのために、暗号化して1日間保存するかどうかを指定します（docs/operate/credentials.md）。オフの場合は、各プロセスが自身の分をメモリに保持します。",
  "setting.fetchMedia":
    "ファイルをインラインで送る必要があるプロバイダーのために、リクエストで URL を指定されたファイルを Plaza が取得するかどうかを指定します。対象は https の公開アドレスです（docs/operate/security.md）。",
  "setting.fetchMediaAllow":
    "Plaza がファイルを取得できる追加のネットワークです。http も使用できます。ポートは 80 と 443、または指定したポートです。",
  "setting.auditKeptMs":
    "監査ログのエントリを削除するまで保持する時間です。`PLAZA_REQUESTS_ARCHIVE` を設定すると、UTC の1日単位で先にアーカイブします。",
  "setting.responsesKeptMs":
    "/v1/responses のレスポンスを、呼び出し元の次のターン（previous_response_id、item_reference）のために保存する時間です。0 の場合は保存しません。",
  "setting.refusalsKeptMs": "記録しなかった拒否済みリクエストの数を、キー、理由、分ごとに保持する時間です。",
  "setting.requestsKeptMs":
    "リクエストの行を削除するまで保持する時間です。UTC の1日単位で、7日以上にします。台帳エントリと使用量の合計は残ります（docs/operate/operations.md）。",
  "setting.requestsKeptMs.unset": "無期限",
  "setting.requestsArchive":
    "リクエストと監査ログを削除する前に、1日分ずつ書き込むフォルダー（存在する必要があります）または `s3://bucket/prefix` です。書き込めない場合は、何も削除しません。",
  "setting.requestsArchive.unset": "アーカイブしません",
  "setting.archiveFormat":
    "アーカイブのファイルの形式です。圧縮した CSV、または金額を64ビット整数、時刻をタイムスタンプとする Parquet です。",
  "setting.lameDuckMs":
    "SIGTERM を受けたプロセスが処理を続ける時間です。その間、`/readyz` はすでに失敗し、レスポンスには `Connection: close` が付きます。ロードバランサーが気付くまでの時間より長くする必要があります。",
  "setting.drainMs": "その後、停止するプロセスが、実行中のリクエストの完了を待つ時間です。",
};
