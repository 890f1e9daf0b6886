/** What is wrong with an upstream, a model, a price or a connection, in Chinese: the checks of the catalog and the connect wizard. See `../server-sentences.ts`. */

/** English sentence, or a part of one, → Chinese. */
export const catalogSentences: Readonly<Record<string, string>> = {
  "There is no upstream {n}.": "没有上游 {n}。",
  "There is no model {n}.": "没有模型 {n}。",
  "There is no limits {n}.": "没有限额 {n}。",
  "The limits come from the catalog file and are changed there.": "限额来自目录文件，请在文件中修改。",
  "The {n} {n} comes from the catalog file and is changed there.": "{w} {n} 来自目录文件，请在文件中修改。",
  "There is an {n} {n} already.": "已有名为 {2} 的{w1}。",
  "There is a {n} {n} already.": "已有名为 {2} 的{w1}。",
  "A catalog has at most {n} {n}s. Remove some first.": "目录最多有 {n} 个{w}，请先移除一些。",
  "Models are served by this upstream: {n}. Change or remove them first.":
    "有模型由此上游提供：{n}。请先修改或移除它们。",
  "Models fall back to this one: {n}. Change them first.": "有模型以它为后备：{n}。请先修改它们。",
  "{n}, {d} more": "{n}，另有 {n} 个",
  "The {n} {n} was removed meanwhile.": "在此期间，{w} {n} 已被移除。",
  "The fallbacks lead back to this model.": "后备模型形成了循环，指回了此模型。",
  "The stored credentials cannot be opened; give them again at the upstream.":
    "无法打开已保存的凭据；请在该上游的页面重新填写。",
  "Give the credentials again: those that are stored are for the address and provider it had.":
    "请重新填写凭据：已保存的凭据只用于原来的地址和协议。",
  "The variable is not one in which {n} keeps its key at this address.":
    "该变量不是 {n} 在此地址存放密钥所用的变量。",
  "The environment variable {n} is not set.": "环境变量 {n} 未设置。",
  "{n} needs a credential.": "{n} 需要凭据。",
  "{n} is a model of plaza.yaml: add a deployment there, or give this one another id":
    "{n} 是 plaza.yaml 中的模型：请在文件中添加部署，或为此处另取 ID",
  "This is a model of plaza.yaml: add a deployment there, or give this one another id.":
    "这是 plaza.yaml 中的模型：请在文件中添加部署，或为此处另取 ID。",
  "This is the id of number {n} of the list, too.": "列表中第 {n} 个也用了此 ID。",

  "there is no {n} (services: {n}); or give a base URL like http://127.0.0.1:8000/v1":
    "没有{n}（服务：{n}）；也可以填写基础 URL，例如 http://127.0.0.1:8000/v1",
  "service {n}": "服务 {n}",
  "such service": "这个服务",
  "the base URL: {n}": "基础 URL：{s}",
  'only you know where preset "{n}" is: give its address, like {n}':
    '预设 "{n}" 的地址只有您知道：请填写其地址，形如 {n}',
  "only you know where {n} is: give its base URL, like {n}": "{n} 的地址只有您知道：请填写基础 URL，形如 {n}",
  "{n} ended on {n}. {n}": "{n} 已于 {n} 停止服务。{s}",
  "Its chat completions are no more. Its Agent API (POST https://api.perplexity.ai/v1/responses, OpenAI's Responses format) goes on, but Plaza speaks that format to no upstream yet.":
    "其对话补全接口已停用。其 Agent API（POST https://api.perplexity.ai/v1/responses，OpenAI 的 Responses 格式）仍可用，但 Plaza 尚不支持以该格式访问上游。",
  "GitHub retired the service: playground, catalog, inference and keys of one's own.":
    "GitHub 已下线该服务，包括体验页、模型目录、推理接口以及自带密钥。",
  "Its credential is a service account's key file on one line, or an access token.":
    "凭据为写成一行的服务账号密钥文件，或访问令牌。",
  "Its credential is a Bedrock API key. Some models are below /openai/v1, and Claude is at provider bedrock.":
    "凭据为 Bedrock API 密钥。部分模型位于 /openai/v1 之下；Claude 请使用提供商 bedrock。",
  "The hosted API catalog; a NIM container of one's own is a server at its own address.":
    "这是托管的 API 目录；自行部署的 NIM 容器请填写其自己的地址。",
  "Its credential is a programmatic access token.": "凭据为程序化访问令牌。",
  "say what to connect: a service ({n}) or a base URL": "请指明要连接什么：服务（{n}）或基础 URL",
  "{n} did not answer whole within {n}": "{n} 未能在 {n} 内完整应答",
  "{n} answers with more than {n} MB: that is no list of models": "{n} 的应答超过 {n} MB：这不是模型列表",
  "{n} cannot be reached: {n}": "无法连接 {n}：{s}",
  "no token for the credential came from there": "未能从该处取得凭据对应的令牌",
  "{n} gives no token for the credential ({n}); nothing was written":
    "{n} 未为该凭据签发令牌（{n}）；未写入任何内容",
  "the credential is not what can be exchanged for a token; nothing was written":
    "该凭据无法用来换取令牌；未写入任何内容",
  "nothing listens there; is the server running?": "该处没有服务在监听；服务器是否在运行？",
  "there is no host of this name": "没有这个名称的主机",
  "the name could not be looked up": "无法解析该名称",
  "no connection within {n}": "{n} 内未能建立连接",
  "the connection failed": "连接失败",
  "the connection failed ({n})": "连接失败（{n}）",
  "{n} redirects ({n}), which is not followed: give the address it has moved to":
    "{n} 作了重定向（{n}），不会跟随：请填写迁移后的地址",
  "{n} redirects to {n} ({n}), which is not followed: give the address it has moved to":
    "{n} 重定向到 {n}（{n}），不会跟随：请填写迁移后的地址",
  "{n} wants a credential ({n})": "{n} 需要凭据（{n}）",
  "{n} refuses the credential ({n}); nothing was written": "{n} 拒绝了该凭据（{n}）；未写入任何内容",
  "{n} answers that the account is not paid for or used up ({n})": "{n} 应答称账户未付费或已用尽（{n}）",
  "{n} answers with status {n} instead of a list of models": "{n} 应答状态 {n}，而不是模型列表",
  "{n} answers with {n} instead of a list of models: is this the base URL of an API?":
    "{n} 的应答是{s}，而不是模型列表：这是某个 API 的基础 URL 吗？",
  "a web page": "网页",
  "something else": "其他内容",
  // What the built-in demo says of itself, until an operator says something else.
  "Answers from your prompt without any model, so that everything can be tried with no key. See docs/start/demo.md.":
    "不用任何模型，只根据您的提示词作答，因此无需密钥即可试用一切。见 docs/start/demo.md。",
  "its name is not one line of at most {n} characters": "其名称不是一行最多 {n} 个字符的文字",
  "this version of Plaza does not serve {n} yet": "此版本的 Plaza 尚不提供 {n}",
  "the model of this id is for {n}": "此 ID 的模型用于 {n}",
  "no chat model": "不是对话模型",
  "no chat model ({n})": "不是对话模型（{n}）",

  "{n}; did you mean {n}? ({n}: {n})": "{1}；是想写 {2} 吗？（{w3}：{4}）",
  "{n}; did you mean {n}?": "{n}；是想写 {n} 吗？",
  "{n} (upstreams: {n})": "{n}（上游：{n}）",
  "{n} (models: {n})": "{n}（模型：{n}）",
  "{n} (providers: {n})": "{n}（协议：{n}）",
  "{n} (presets: {n})": "{n}（预设：{n}）",
  "{n} (modalities: {n})": "{n}（类型：{n}）",
  "{n} (capabilities: {n})": "{n}（能力：{n}）",
  "{n} (operations: {n})": "{n}（用途：{n}）",
  "{n} (options: {n})": "{n}（选项：{n}）",
  "{n} (keys: {n})": "{n}（字段：{n}）",
  "{n} (services: {n})": "{n}（服务：{n}）",
  "there is no modality {n}": "没有输入输出类型 {n}",
  "there is no capability {n}": "没有能力 {n}",
  "there is no operation {n}": "没有用途 {n}",
  "there is no provider {n}": "没有协议 {n}",
  "there is no preset {n}": "没有预设 {n}",
  "there is no key {n} here": "此处没有字段 {n}",
  'there is no provider "{n}", which it needs': "没有它所需的协议 {n}",
  "say which protocol it speaks (providers: {n})": "请指明它使用的协议（可选：{n}）",

  "is missing; {n}": "未填写；{s}",
  "give {n}": "请填写{s}",
  "must be a mapping with the keys {n}": "必须是包含以下字段的对象：{n}",
  "must be a mapping of names to values": "必须是名称与值的对应",
  "must be a list of {n}": "必须是{w}的列表",
  "has {n} {n}; at most {n} are allowed": "有 {1} 个{w2}；最多允许 {3} 个",
  "is empty; give at least {n}": "为空；至少填写 {n} 个",
  "is empty; give {n}": "为空；请填写{s}",
  "is empty (its variable is); give {n}": "为空（变量为空）；请填写{s}",
  "must be text; put it in quotes: {n}": "必须是文字；请加引号：{n}",
  "must be text: {n}": "必须是文字：{s}",
  "must be {n}": "必须是{s}",
  "{n}, without quotes": "{s}，不加引号",
  "{n}; must be {n}": "{n}；必须是{s}",
  "{n} is not allowed; must be {n}": "{n} 不可用；必须是{s}",
  "{n} is not allowed; give {n}": "{n} 不可用；请填写{s}",
  "{n} has no unit; must be {n}": "{n} 没有单位；必须是{s}",
  "{n} is not a number; must be {n}": "{n} 不是数字；必须是{s}",
  "is longer than {n} characters": "超过 {n} 个字符",
  "must be one line without control characters": "必须是不含控制字符的一行",
  "must be one plain value: {n}": "必须是单个值：{s}",
  "a whole number from {n} to {n}": "{n} 到 {n} 的整数",
  "a whole number from 0, which blocks, to {n}": "0（全部拒绝）到 {n} 的整数",
  "a duration from {n} to {n}, like 500ms, 5s or 15m": "{n} 到 {n} 的时长，例如 500ms、5s 或 15m",
  "an id": "ID",
  "{n} is not an id: start with a letter or digit, then at most 127 letters, digits or . _ : / @ -":
    "{n} 不能用作 ID：以字母或数字开头，其后最多 127 个字母、数字或 . _ : / @ -",
  "start with a letter or digit, then at most 127 letters, digits or . _ : / @ -":
    "以字母或数字开头，其后最多 127 个字母、数字或 . _ : / @ -",
  "a date or a time in UTC, like 2026-12-01 or 2026-12-01T08:30:00Z":
    "UTC 日期或时间，例如 2026-12-01 或 2026-12-01T08:30:00Z",
  "{n} is not a time; give {n}": "{n} 不是时间；请填写{s}",
  "{n} is not from 2000 to 2099; give {n}": "{n} 不在 2000 到 2099 年之间；请填写{s}",
  "a modality": "输入输出类型",
  "a capability": "能力",
  "an operation": "用途",
  "a description": "说明",
  "a name": "名称",
  "who made it": "提供方",
  "stop or finish": "stop 或 finish",
  "key or none": "key 或 none",
  "{n} is neither stop nor finish": "{n} 既不是 stop 也不是 finish",
  "{n} is neither key nor none": "{n} 既不是 key 也不是 none",

  "an address like https://api.example.com/v1": "形如 https://api.example.com/v1 的地址",
  "{n} is not an http or https address, like https://api.example.com/v1":
    "{n} 不是形如 https://api.example.com/v1 的 http 或 https 地址",
  "this is not an http or https address, like https://api.example.com/v1":
    "这不是形如 https://api.example.com/v1 的 http 或 https 地址",
  "must hold no user name or password; put secrets into credentials":
    "不能包含用户名或密码；请把密钥填入凭据",
  "must have no query (?…) and no fragment (#…)": "不能包含查询（?…）和片段（#…）",
  "must end before {n}, which is added to each call": "请去掉末尾的 {n}，每次调用会自动加上",
  "has no path; an address of this kind usually ends in {n}": "没有路径；此类地址通常以 {n} 结尾",
  'provider "{n}" needs the address up to and including /v1': "协议 {n} 需要直到 /v1（含）为止的地址",
  "the id of a provider": "协议的 ID",
  "the id of a preset": "预设的 ID",
  "the id of an upstream": "上游的 ID",
  "the id of another model": "另一个模型的 ID",
  "name the upstream, so that deployments can refer to it": "请为上游命名，以便部署引用",
  "a credential": "凭据",
  "must be printable ASCII without line breaks and without spaces around it":
    "必须是可打印的 ASCII 字符，不含换行，首尾没有空格",
  'preset "{n}" needs at least one': "预设 {n} 至少需要一个",
  'provider "{n}" needs at least one': "协议 {n} 至少需要一个",
  "means nothing without concurrency: nobody ever waits": "没有设置同时进行的上限时没有意义：不会有请求等待",
  'preset "{n}" is for provider "{n}" and means nothing to provider "{n}"':
    "预设 {n} 用于协议 {n}，对协议 {n} 没有意义",
  'provider "{n}" has no options': "协议 {n} 没有选项",
  'provider "{n}" has no option {n}': "协议 {n} 没有选项 {n}",
  'provider "{n}" needs {n}': "协议 {n} 需要{s}",

  "list what the model takes and gives, like [text]": "请列出模型的输入和输出类型，例如 [text]",
  "give the id of the upstream that serves it": "请选择提供它的上游",
  "give the model's name at the upstream": "请填写模型在上游的名称",
  "the model's name at the upstream": "模型在上游的名称",
  "give the id callers ask for": "请填写调用者请求的 ID",
  "list at least one, like { upstream: main, model: its-name-there }":
    "请至少列出一个，例如 { upstream: main, model: its-name-there }",
  "repeats an earlier deployment of this model; to give it more traffic raise its weight":
    "与此模型前面的部署重复；要分配更多流量，请提高权重",
  "must be true, false or a time to wait before the second attempt: { after: 800ms }":
    "必须是 true、false，或第二次尝试之前等待的时间：{ after: 800ms }",
  "say how long to wait, like 800ms; or write hedge: true": "请填写等待时间，例如 800ms；或写 hedge: true",
  "is the model itself; name another one": "这就是模型本身；请选择其他模型",
  "repeats {n}": "与 {n} 重复",
  "model {n} has no deployment, so nothing could answer in place of this one":
    "模型 {n} 没有部署，无法代替此模型应答",
  "model {n} has no price, so it could not answer in place of this one":
    "模型 {n} 没有价格，无法代替此模型应答",
  "model {n} has another operation, so it could not answer in place of this one":
    "模型 {n} 的用途不同，无法代替此模型应答",
  "model {n} has this one among its fallbacks, and would find none of its operations here":
    "模型 {n} 以此模型为后备，而此处没有它的任何用途",
  "a model for embeddings has no fallbacks: vectors of different models cannot be compared":
    "嵌入模型不能有后备模型：不同模型的向量无法比较",
  "the fallbacks go round in a circle: {n}": "后备模型形成了循环：{n}",
  "({d} more)": "（另有 {n} 个）",

  'US dollars per million tokens, from "0" to "1000000" with at most nine decimals, like "0.25"':
    "每百万 token 的美元价格，0 到 1000000，最多九位小数，例如 0.25",
  'US dollars per request, from "0" to "1000" with at most nine decimals, like "0.001"':
    "每次请求的美元价格，0 到 1000，最多九位小数，例如 0.001",
  "{n} is negative; {n}": "{n} 是负数；{s}",
  "{n} has a sign; {n}": "{n} 带有正负号；{s}",
  "{n} is not a number; {n}": "{n} 不是数字；{s}",
  "{n} is not written in decimal digits; {n}": "{n} 不是十进制数字；{s}",
  "{n} has an exponent; {n}": "{n} 带有指数；{s}",
  "{n} has a currency or a word in it; {n}": "{n} 含有货币符号或文字；{s}",
  "{n} has a comma instead of a point; {n}": "{n} 用了逗号而不是小数点；{s}",
  "{n} has more than nine decimals; {n}": "{n} 超过九位小数；{s}",
  "{n} is more than {n}; {n}": "{n} 大于 {n}；{s}",
  "{n} is not a price; {n}": "{n} 不是价格；{s}",
  "{n} has an exponent: write all digits; {n}": "{n} 带有指数：请写出全部数字；{s}",
  "{n} is a fraction; {n}": "{n} 是小数；{s}",
  "{n} has separators: write the digits alone; {n}": "{n} 带有分隔符：请只写数字；{s}",
  "{n} is beyond 2^53 - 1; {n}": "{n} 超过 2^53 - 1；{s}",
  "give the size of prompt above which the tier applies": "请填写适用此分级的提示大小",
  "must be more than {n}, that of a tier before; list tiers by size, the smallest first":
    "必须大于前面分级的 {n}；请按大小从小到大排列",
  "is the time of another price of this model, too": "与此模型的另一个价格时间相同",
  "has no validFrom, nor has {n}; only one price may be without":
    "没有起始时间，{n} 也没有；只能有一个价格没有起始时间",
  "needs one price without validFrom, which applies until another takes over":
    "需要一个没有起始时间的价格，在其他价格生效之前使用",
  "has no price: it will be listed but not served": "没有价格：会列出，但不提供服务",
  "give either price or prices, not both": "price 和 prices 只能填写一个",

  "an API version, like 2024-10-21 or 2025-04-01-preview": "API 版本，例如 2024-10-21 或 2025-04-01-preview",
  "key, entra or bearer": "key、entra 或 bearer",
  "the address tokens are asked for at, like https://login.microsoftonline.us":
    "获取令牌的地址，例如 https://login.microsoftonline.us",
  "what tokens are asked for, like https://cognitiveservices.azure.us/.default":
    "令牌的范围，例如 https://cognitiveservices.azure.us/.default",
  "gemini or vertex; where it is absent the base URL tells": "gemini 或 vertex；留空则由基础 URL 判断",
  "where a service account's key is exchanged for a token, instead of at Google":
    "用服务账号密钥换取令牌的地址，留空则为 Google",
  "what callers may ask for though it is charged apart, like service_tier,web_search_options,tools":
    "允许调用方使用的另外计费的功能，例如 service_tier,web_search_options,tools",
  "flags for the header anthropic-beta, with commas between them": "请求头 anthropic-beta 的标志，以逗号分隔",
  "the AWS region calls are signed for; where it is absent the host's name tells":
    "调用签名所用的 AWS 区域；留空则由主机名判断",
  "id or ARN of a guardrail every call goes through": "每次调用都经过的 guardrail 的 ID 或 ARN",
  "version of the guardrail, DRAFT where it is absent": "guardrail 的版本；留空为 DRAFT",
};
