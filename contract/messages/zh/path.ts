/** What to set in a client that calls a path which Plaza does not serve, in Chinese. */

export const pathTexts = {
  "path.addressAlone": "请将 {setting} 设为 Plaza 的地址本身，不带 {without}：客户端会自行加上 {added}。",
  "path.addedAgain": "请将 {setting} 设为 Plaza 的地址本身，不带 {without}：客户端会自行加上它。",
  "path.either": "{first} 或 {second}",
  "path.googleOrOpenai":
    "请将 {setting} 设为 Plaza 的地址本身，不带 /v1beta：客户端会自行加上 /v1。使用 OpenAI 格式的客户端，请设为只以 /v1 结尾的地址。",
  "path.withoutV1beta":
    "请将客户端的 base URL 设为以 /v1beta 结尾的地址（OpenAI 格式则为 /v1）：此次调用缺少这一段。",
  "path.withoutV1": "请将客户端的 base URL 设为以 /v1 结尾的地址：此次调用缺少这一段。",
  "path.withoutV1Codex":
    "请将客户端的 base URL 设为以 /v1 结尾的地址：此次调用缺少这一段。在 Codex 中，它是 ~/.codex/config.toml 里提供方的 base_url。",
  "path.wholeAddress": "请将客户端的 base URL 设为以 /v1 结尾的地址，不带 {path}：客户端会自行加上它。",
  "path.v1Twice": "路径中有两个 /v1：请将客户端的 base URL 设为不带 /v1 的地址，客户端会自行加上它。",
  "path.slashAfterV1": "请去掉客户端 base URL 末尾的斜杠：它应以 /v1 结尾。",
  "path.slashAtEnd": "请去掉客户端 base URL 末尾的斜杠。",
  "path.responses":
    "在 OpenAI 的 Responses 中，Plaza 提供 POST /v1/responses、POST /v1/responses/input_tokens、GET 和 DELETE /v1/responses/{{id}} 以及 GET /v1/responses/{{id}}/input_items。Plaza 不在后台运行响应，因此没有可取消的响应；对话由客户端自行压缩（/compact）。",
  "path.messages":
    "在 Anthropic 的 API 中，Plaza 提供 POST /v1/messages、POST /v1/messages/count_tokens 和 GET /v1/models，不提供批处理和文件。",
  "path.anthropicCompletions":
    "不提供 Anthropic 旧的 completions。请在客户端使用 Messages（messages.create）：POST /v1/messages。",
  "path.conversations":
    "Plaza 不存储会话。请用 previous_response_id 继续，或在 input 中发送其全部条目（Agents SDK：使用客户端自己的会话，不带 conversation id）。",
  "path.anthropic":
    "请将客户端的 base URL（ANTHROPIC_BASE_URL）设为 Plaza 的地址本身，不带 /anthropic，也不带 /v1：客户端会自行加上 /v1/messages。",
  "path.engines": "Plaza 提供 {paths} 和 {last}。请更新客户端：较新的版本在请求体中发送模型。",
  "path.azure":
    "在 Azure 的 API 中，Plaza 提供 /openai/deployments/{{model}}/ 下的 chat/completions、completions、embeddings 和 responses，以及 /openai/v1/ 下与 /v1/ 相同的全部路径。",
  "path.openaiV1": "Plaza 在 /openai/v1/ 下提供与 /v1/ 相同的全部路径。",
  "path.geminiFiles":
    "Plaza 不存储文件。请在请求中以 inlineData 发送文件，或用 fileData 给出可公开访问的地址。",
  "path.geminiCaches": "Plaza 不存储内容。请在每次调用中发送内容：上游会自行缓存提示的开头部分。",
  "path.gemini":
    "在 Gemini 的 API 中，Plaza 提供 GET /v1beta/models，以及 /v1beta/models/{{model}} 的 {methods}。",
  "path.vertex":
    "这是 Vertex AI 自己的 API。请将客户端设为 Gemini API（@google/genai：不使用 vertexai；Gemini CLI：GEMINI_API_KEY），以 Plaza 的地址为 base URL，并使用 Plaza 的密钥。",
  "path.bedrock": "这是 Bedrock 自己的 API。请使用 OpenAI 客户端，base URL 以 /v1 结尾。",
  "path.withoutApi": "请将客户端的 base URL 设为以 /v1 结尾的地址，不带 /api。",
  "path.insteadOfApi": "请将客户端的 base URL 设为以 /v1 结尾的地址，而不是 /api。",
  "path.ollama":
    "这是 Ollama 自己的 API。请在客户端中选择名为 OpenAI 或 OpenAI compatible 的提供方，base URL 以 /v1 结尾（Open WebUI：使用 OpenAI API 下的连接，而不是 Ollama API 下的连接）。",
  "path.chat": "路径应为 /v1/chat/completions；客户端会在以 /v1 结尾的 base URL 后加上 /chat/completions。",
  "path.chatCompletions": "路径应为 /v1/chat/completions。",
  "path.notV2": "请将客户端的 base URL 设为以 /v1 结尾的地址，而不是 /v2。",
  "path.balance": "以密钥为 bearer token 调用 GET /v1/balance，可查询余额。",
  "path.notServed":
    "Plaza 不提供{what:reranking=重排序|moderation=内容审核|images=图像|speech=语音合成|transcription=语音转写|translation=语音翻译|realtime sessions=实时会话|files=文件|batches=批处理|assistants=助手|threads=会话线程|vector stores=向量存储|containers=容器|skills=技能}。请将客户端的这一部分指向其他服务。",
} as const;
