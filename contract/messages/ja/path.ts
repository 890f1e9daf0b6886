/** What to set in a client that calls a path which Plaza does not serve, in Japanese. */

export const pathTexts = {
  "path.addressAlone":
    "{setting} には、{without} を付けずに Plaza のアドレスだけを設定してください。{added} はクライアントが付け加えます。",
  "path.addedAgain":
    "{setting} には、{without} を付けずに Plaza のアドレスだけを設定してください。その部分はクライアントが付け加えます。",
  "path.either": "{first} または {second}",
  "path.googleOrOpenai":
    "{setting} には、/v1beta を付けずに Plaza のアドレスだけを設定してください。/v1 はクライアントが付け加えます。OpenAI の形式のクライアントでは、末尾が /v1 だけになるように設定してください。",
  "path.withoutV1beta":
    "クライアントのベース URL を、/v1beta で終わるように設定してください（OpenAI の形式の場合は /v1）。この呼び出しにはその部分がありません。",
  "path.withoutV1":
    "クライアントのベース URL を、/v1 で終わるように設定してください。この呼び出しにはその部分がありません。",
  "path.withoutV1Codex":
    "クライアントのベース URL を、/v1 で終わるように設定してください。この呼び出しにはその部分がありません。Codex では、~/.codex/config.toml のプロバイダーの base_url です。",
  "path.wholeAddress":
    "クライアントのベース URL を、{path} を付けずに、/v1 で終わるように設定してください。その部分はクライアントが付け加えます。",
  "path.v1Twice":
    "パスに /v1 が2回含まれています。/v1 はクライアントが付け加えるので、ベース URL からは外してください。",
  "path.slashAfterV1":
    "クライアントのベース URL から末尾のスラッシュを外し、/v1 で終わるようにしてください。",
  "path.slashAtEnd": "クライアントのベース URL から末尾のスラッシュを外してください。",
  "path.responses":
    "OpenAI の Responses のうち、Plaza が提供しているのは POST /v1/responses、POST /v1/responses/input_tokens、GET と DELETE /v1/responses/{{id}}、GET /v1/responses/{{id}}/input_items です。バックグラウンドで実行されるレスポンスはないため、キャンセルするものはありません。会話の圧縮はクライアントが行います（/compact）。",
  "path.messages":
    "Anthropic の API のうち、Plaza が提供しているのは POST /v1/messages、POST /v1/messages/count_tokens、GET /v1/models です。バッチとファイルは提供していません。",
  "path.anthropicCompletions":
    "Anthropic の古い completions は提供していません。クライアントでは Messages（messages.create）を使用してください：POST /v1/messages。",
  "path.conversations":
    "Plaza は会話を保存しません。previous_response_id で続けるか、すべての項目を input で送信してください（Agents SDK では、conversation id を使わずに、クライアント自身のセッションを使用します）。",
  "path.anthropic":
    "クライアントのベース URL（ANTHROPIC_BASE_URL）には、/anthropic も /v1 も付けずに Plaza のアドレスだけを設定してください。/v1/messages はクライアントが付け加えます。",
  "path.engines":
    "Plaza は {paths} と {last} を提供しています。クライアントを更新してください。新しいものはモデルを本文で送信します。",
  "path.azure":
    "Azure の API のうち、Plaza が提供しているのは /openai/deployments/{{model}}/ の chat/completions、completions、embeddings、responses と、/openai/v1/ の、/v1/ と同じすべてのパスです。",
  "path.openaiV1": "Plaza は /openai/v1/ で、/v1/ と同じすべてのパスを提供しています。",
  "path.geminiFiles":
    "Plaza はファイルを保存しません。リクエストの中で inlineData として送信するか、公開されたアドレスを fileData で指定してください。",
  "path.geminiCaches":
    "Plaza は内容を保存しません。呼び出しのたびに送信してください。プロンプトの先頭部分は、アップストリームが自動的にキャッシュします。",
  "path.gemini":
    "Gemini の API のうち、Plaza が提供しているのは GET /v1beta/models と、/v1beta/models/{{model}} の {methods} です。",
  "path.vertex":
    "これは Vertex AI 独自の API です。クライアントを Gemini API に設定し（@google/genai では vertexai を使用しない、Gemini CLI では GEMINI_API_KEY）、ベース URL に Plaza のアドレスを、キーに Plaza のキーを指定してください。",
  "path.bedrock":
    "これは Bedrock 独自の API です。OpenAI のクライアントを使用し、ベース URL を /v1 で終わるように設定してください。",
  "path.withoutApi": "クライアントのベース URL を、/api を付けずに、/v1 で終わるように設定してください。",
  "path.insteadOfApi": "クライアントのベース URL を、/api ではなく /v1 で終わるように設定してください。",
  "path.ollama":
    "これは Ollama 独自の API です。クライアントでは OpenAI または OpenAI compatible という名前のプロバイダーを選び、ベース URL を /v1 で終わるように設定してください（Open WebUI では、Ollama API ではなく OpenAI API の接続）。",
  "path.chat":
    "パスは /v1/chat/completions です。クライアントは、/v1 で終わるベース URL に /chat/completions を付け加えます。",
  "path.chatCompletions": "パスは /v1/chat/completions です。",
  "path.notV2": "クライアントのベース URL を、/v2 ではなく /v1 で終わるように設定してください。",
  "path.balance": "残高は、キーを Bearer トークンとして GET /v1/balance を呼び出すと確認できます。",
  "path.notServed":
    "Plaza は{what:reranking=リランク|moderation=モデレーション|images=画像|speech=テキスト読み上げ|transcription=音声文字起こし|translation=音声翻訳|realtime sessions=リアルタイムセッション|files=ファイル|batches=バッチ|assistants=アシスタント|threads=スレッド|vector stores=ベクトルストア|containers=コンテナ|skills=スキル}を提供していません。クライアントのこの部分には、別のサービスを設定してください。",
};
