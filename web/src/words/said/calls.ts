/** What a call of `/v1` is refused with, in Chinese: the catalogue of errors and the messages of the data plane. See `../server-sentences.ts`. */

/** English sentence → Chinese. */
export const callSentences: Readonly<Record<string, string>> = {
  "The request is not valid.": "请求无效。",
  "This model does not support one of the parameters sent.": "该模型不支持所发送的某个参数。",
  "This model's maximum context length is smaller than what this request needs.":
    "此请求所需的 token 超出模型的最大上下文长度。",
  "This model's maximum context length is {n} tokens.": "模型的最大上下文长度为 {n} 个 token。",
  "This model's maximum context length is {n} tokens. {n}": "模型的最大上下文长度为 {n} 个 token。{n}",
  "This model's maximum context length is smaller than what this request needs. {n}":
    "此请求所需的 token 超出模型的最大上下文长度。{n}",
  "Shorten the messages, ask for less output, or choose a model with a larger context.":
    "请缩短消息、减少所要的输出，或选择上下文更大的模型。",
  "The request was blocked by the model's content policy (content_policy_violation).":
    "请求被模型的内容政策拦截（content_policy_violation）。",
  "The request was blocked by the model's content policy (content_policy_violation). {n}":
    "请求被模型的内容政策拦截（content_policy_violation）。{n}",
  "Change the prompt: repeating it gives the same answer.": "请修改提示词：重复发送只会得到同样的结果。",
  "Incorrect API key provided.": "API 密钥不正确。",
  "Incorrect API key provided: it has expired.": "API 密钥不正确：已过期。",
  "Incorrect API key provided: it is disabled.": "API 密钥不正确：已停用。",
  "Nobody is signed in.": "当前未登录。",
  "The email address, the password or the code is wrong.": "邮箱、密码或验证码有误。",
  "This user signs in with a code from an authenticator app, too.":
    "此用户登录时还需要身份验证器应用中的验证码。",
  "The balance of this account is too low for this request. Top it up and try again.":
    "账户余额不足以完成此请求。请充值后重试。",
  "The budget of this API key is used up for the current period.": "此 API 密钥在本周期的预算已用完。",
  "This API key may not use this model.": "此 API 密钥不允许使用该模型。",
  "This API key may not be used from this address.": "此 API 密钥不允许从该地址使用。",
  "This is not yours to see or do.": "您无权查看或执行此操作。",
  "This request did not come from Plaza's own pages.": "此请求并非来自本站页面，请重新加载后再试。",
  "This account is suspended.": "此账户已被停用。",
  "The model does not exist or you do not have access to it.": "模型不存在，或您无权使用。",
  "There is nothing at this address.": "此地址没有内容。",
  "This address does not take this HTTP method.": "此地址不接受该 HTTP 方法。",
  "The request did not arrive in time.": "请求未能及时到达。",
  "A call with this Idempotency-Key is still under way.": "使用此 Idempotency-Key 的调用仍在进行。",
  "The call with this Idempotency-Key was answered, but its answer was too large to be kept.":
    "使用此 Idempotency-Key 的调用已有回答，但回答过大，未能保留。",
  "Somebody else changed this since you read it.": "在您读取之后，其他人修改了此内容。",
  "There is one with this name already.": "已存在同名的条目。",
  "This comes from the catalog file and is changed there.": "此内容来自目录文件，请在文件中修改。",
  "This has been used already.": "已被使用过。",
  "The request body is too large.": "请求体过大。",
  "The body must be JSON sent as Content-Type: application/json, compressed with gzip or zstd or not at all.":
    "请求体必须是 JSON，Content-Type 为 application/json，可用 gzip 或 zstd 压缩，也可不压缩。",
  "This Idempotency-Key was used for a call with another body.": "此 Idempotency-Key 已用于另一个请求体。",
  "Too many requests.": "请求过多。",
  "Too many calls of this API key were refused. Mend what they are refused for, and wait a little.":
    "此 API 密钥被拒绝的调用过多。请解决被拒绝的原因，并稍候再试。",
  "Too many calls from this address were refused. Mend what they are refused for, and wait a little.":
    "来自此地址被拒绝的调用过多。请解决被拒绝的原因，并稍候再试。",
  "Too many changes in a short time. Wait a little.": "短时间内更改过多，请稍候。",
  "Too many attempts. Wait a little.": "尝试次数过多，请稍候。",
  "Plaza made a mistake while handling this request.": "Plaza 处理此请求时出错。",
  "The upstream that serves this model failed.": "提供该模型的上游出错。",
  "No upstream can serve this model at the moment.": "目前没有上游可以提供该模型。",
  "Plaza is at its capacity or restarting. Try again shortly.": "Plaza 已满负荷或正在重启，请稍后重试。",
  "The request cannot be recorded at the moment. Try again shortly.": "目前无法记录请求，请稍后重试。",
  "This port speaks HTTP/1.1 only. Let the client use HTTP/1.1 (curl --http1.1), or put a proxy that speaks HTTP/2 in front.":
    "此端口只支持 HTTP/1.1。请让客户端使用 HTTP/1.1（curl --http1.1），或在前面放置支持 HTTP/2 的代理。",
  "The upstream that serves this model did not answer in time.": "提供该模型的上游未能及时回应。",

  "Incorrect API key provided: none was sent. Send it as a header: Authorization: Bearer sk-plaza-…":
    "API 密钥不正确：请求没有带密钥。请用请求头发送：Authorization: Bearer sk-plaza-…",
  "Incorrect API key provided: the Authorization header must be of the form: Bearer sk-plaza-…":
    "API 密钥不正确：Authorization 请求头的格式应为：Bearer sk-plaza-…",
  "Incorrect API key provided: {n}. {n}": "API 密钥不正确：{n}。{s}",
  "This is not a Plaza API key, or it was mistyped or cut short: keys begin with sk-plaza- and carry a checksum that does not match here.":
    "这不是 Plaza 的 API 密钥，或者输错、缺了一段：密钥以 sk-plaza- 开头并带有校验和，此处校验不符。",
  "This API key may only be used from certain addresses, and yours is not known.":
    "此 API 密钥只能从指定的地址使用，而您的地址未知。",
  "This API key may not be used from your address, {n}.": "此 API 密钥不允许从您的地址 {n} 使用。",
  "It was revoked. Use another one.": "它已被吊销，请使用其他密钥。",
  "It is disabled. Use another one, or have it enabled.": "它已停用，请使用其他密钥，或让人启用它。",
  "It expired on {n}. Use another one.": "它已于 {n} 过期，请使用其他密钥。",
  "It does not exist. Check that it is the right one, and for this installation.":
    "它不存在，请检查是否用对了密钥，以及是否用于这个安装。",
  "It is no longer in force. Use another one.": "它已失效，请使用其他密钥。",
  "The API key cannot be checked at the moment. Try again shortly.": "目前无法核对 API 密钥，请稍后重试。",
  "The answer to this call was given by a model this API key may not use. Repeat it with the key it was made with, or ask under a new Idempotency-Key.":
    "这次调用的回答由此 API 密钥无权使用的模型给出。请用当初发起调用的密钥重试，或换一个新的 Idempotency-Key。",
  "This API key may not use the model '{n}'. GET /v1/models lists the models of this key.":
    "此 API 密钥不允许使用模型 {n}。GET /v1/models 可列出此密钥可用的模型。",
  "The model '{n}' does not exist or you do not have access to it. GET /v1/models lists the models of this key.":
    "模型 {n} 不存在，或您无权使用。GET /v1/models 可列出此密钥可用的模型。",
  "This model is not for this endpoint.": "该模型不用于此端点。",
  "The model '{n}' is for {n}: call POST {n}.": "模型 {n} 用于 {n}：请调用 POST {n}。",
  "The model '{n}' is for {n}, which this version of Plaza does not serve yet.":
    "模型 {n} 用于 {n}，此版本的 Plaza 尚不提供。",
  "The model '{n}' has no price yet, so it cannot be served. Ask the operator to set one.":
    "模型 {n} 还没有价格，因此无法提供。请联系运营者设置价格。",

  "The balance cannot be read at the moment. Try again shortly.": "目前无法读取余额，请稍后重试。",
  "The balance cannot be checked at the moment. Try again shortly.": "目前无法核对余额，请稍后重试。",
  "The balance of this account is too low: this request needs at least {n} USD and {n} USD are available. Top the account up, shorten the prompt or ask for less output.":
    "账户余额不足：此请求至少需要 {n} 美元，可用余额为 {n} 美元。请充值、缩短提示词或减少所要的输出。",
  "The budget of this API key for the {n} is too low: this request needs at least {n} USD and {n} USD are left until {n}.":
    "此 API 密钥的{w1}预算不足：此请求至少需要 {2} 美元，在 {4} 之前还剩 {3} 美元。",

  "{n} is blocked: its limit is 0 {n}. Waiting does not help; ask the operator to raise it.":
    "{w}目前不可用：“{w}”的限额为 0。等待没有用，请联系运营者提高限额。",
  "{n} may use {n} token{n} a minute, and the prompt of this request alone has about {n} tokens. Waiting does not help; send less, or ask the operator to raise the limit.":
    "{w1}每分钟最多使用 {2} 个 token，而此请求仅提示词就约有 {4} 个。等待没有用；请缩短内容，或联系运营者提高限额。",
  "{n} may be used for {n} token{n} a minute, and the prompt of this request alone has about {n} tokens. Waiting does not help; send less, or ask the operator to raise the limit.":
    "{w1}每分钟最多使用 {2} 个 token，而此请求仅提示词就约有 {4} 个。等待没有用；请缩短内容，或联系运营者提高限额。",
  "{n} may use {n} token{n} a minute, and this one may use {n}: the limit of tokens is reached. Try again in {n} s.":
    "{w1}每分钟最多使用 {2} 个 token，而此请求可能使用 {4} 个：已达到 token 限额。请在 {5} 秒后重试。",
  "{n} may be used for {n} token{n} a minute, and this one may use {n}: the limit of tokens is reached. Try again in {n} s.":
    "{w1}每分钟最多使用 {2} 个 token，而此请求可能使用 {4} 个：已达到 token 限额。请在 {5} 秒后重试。",
  "{n} may make {n} request{n} a minute, and that many were made: the limit of requests is reached. Try again in {n} s.":
    "{w1}每分钟最多 {2} 个请求，已达到限额。请在 {4} 秒后重试。",
  "{n} may be sent {n} request{n} a minute, and that many were made: the limit of requests is reached. Try again in {n} s.":
    "{w1}每分钟最多 {2} 个请求，已达到限额。请在 {4} 秒后重试。",
  "{n} may have {n} request{n} at once, and that many are under way. Try again when one of them has ended.":
    "{w1}最多同时进行 {2} 个请求，已达到限额。请在其中一个结束后重试。",
  "{n} may be sent {n} request{n} at once, and that many are under way. Try again when one of them has ended.":
    "{w1}最多同时进行 {2} 个请求，已达到限额。请在其中一个结束后重试。",

  "This Plaza process is stopping. Send the request again; another one will take it.":
    "此 Plaza 进程正在停止。请重新发送，其他进程会处理。",
  "This Plaza process stopped before the answer was complete. Send the request again.":
    "回答完成之前，此 Plaza 进程已停止。请重新发送。",
  "Plaza is short of memory at the moment. Try again shortly.": "Plaza 目前内存不足，请稍后重试。",
  "Plaza is at its capacity at the moment. Try again shortly.": "Plaza 目前已满负荷，请稍后重试。",
  "Plaza serves as many requests as it may at the moment. Try again shortly.":
    "Plaza 正在处理的请求已达上限，请稍后重试。",
  "Plaza holds as many bytes of request bodies as it may at the moment. Try again shortly.":
    "Plaza 正在接收的请求体总量已达上限，请稍后重试。",

  "The upstream refused the request as too large.": "上游因请求过大而拒绝。",
  "The upstream that serves this model refused the gateway. The operator has to look at it.":
    "提供该模型的上游拒绝了本站，需要运营者处理。",
  "The upstream that serves this model is limiting requests. Try again shortly.":
    "提供该模型的上游正在限流，请稍后重试。",
  "This request is larger than the upstream takes in a minute. Waiting does not help; send less.":
    "此请求超过上游一分钟所能接受的量。等待没有用，请缩短内容。",
  "The upstream that serves this model is overloaded. Try again shortly.":
    "提供该模型的上游过载，请稍后重试。",
  "The answer was stopped after its caller had left. What there was of it is charged.":
    "调用方离开后，回答被停止。已产生的部分照常收费。",

  "The header Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.":
    "请求头 Idempotency-Key 须为 1 到 255 个可见 ASCII 字符，且只发送一次。",
  "The Idempotency-Key cannot be checked at the moment. Try again shortly.":
    "目前无法核对 Idempotency-Key，请稍后重试。",
  "The process that worked on the call with this Idempotency-Key has stopped, and its answer may still be on its machine. Repeat the call later: it gets that answer, or is made again.":
    "处理此 Idempotency-Key 调用的进程已停止，其回答可能仍在它的机器上。请稍后重复调用：将得到那个回答，或重新执行。",
  "The call with this Idempotency-Key was answered and charged as {n}, but its answer was too large to be kept. Use a new key to ask again.":
    "使用此 Idempotency-Key 的调用已回答并收费（{n}），但回答过大，未能保留。如需再次调用，请使用新的 Idempotency-Key。",
  "The request cannot be read at the moment. Try again shortly.": "目前无法读取该请求，请稍后重试。",
  "There is no such request of this API key. The id is the x-request-id of its answer; it is there once the answer is complete.":
    "此 API 密钥没有这个请求。ID 即其回答的 x-request-id；回答完成后它才会出现。",

  "The body is empty; it must be a JSON object.": "请求体为空；它必须是 JSON 对象。",
  "The body must be a JSON object.": "请求体必须是 JSON 对象。",
  "The body is not valid UTF-8.": "请求体不是有效的 UTF-8。",
  "The body is not valid JSON: unexpected character or end at byte {n}.":
    "请求体不是有效的 JSON：第 {n} 字节处出现意外的字符或结尾。",
  "The body is nested deeper than {n} levels (at byte {n}); this installation does not accept that.":
    "请求体的嵌套超过 {n} 层（第 {n} 字节处），本站不接受。",
  "The body is made of more than {n} values (at byte {n}); this installation does not accept that.":
    "请求体包含超过 {n} 个值（第 {n} 字节处），本站不接受。",
  "The body must be JSON: send the header Content-Type: application/json.":
    "请求体必须是 JSON：请发送请求头 Content-Type: application/json。",
  "This installation does not accept compressed bodies: leave out Content-Encoding.":
    "此安装不接受压缩的请求体：请去掉 Content-Encoding。",
  "This Content-Encoding is not accepted: compress the body once, with gzip or zstd, or not at all.":
    "不接受此 Content-Encoding：请用 gzip 或 zstd 压缩一次，或者不压缩。",
  "The compressed body unpacks to more than {n} times its size; this installation does not accept that.":
    "压缩的请求体解压后超过其大小的 {n} 倍；此安装不接受。",
  "The body is not valid {n}: something comes behind its end.": "请求体不是有效的 {n}：结尾之后还有内容。",
  "The body is not valid {n}: it ends too early.": "请求体不是有效的 {n}：提前结束。",
  "The body is not valid {n}: it cannot be unpacked.": "请求体不是有效的 {n}：无法解压。",
  "The body was compressed with a window of more than 8 MiB. Use a lower level of zstd, without --ultra and --long.":
    "请求体压缩所用的窗口超过 8 MiB。请使用较低的 zstd 级别，不带 --ultra 和 --long。",
  "The request body is larger than this installation accepts ({n} bytes).":
    "请求体超过本站接受的大小（{n} 字节）。",
  "The request ended before its body did.": "请求体尚未传完，请求就已结束。",
  "The field '{n}' occurs twice; send it once.": "字段 {n} 出现了两次；只能发送一次。",
  "The required field '{n}' is missing.": "缺少必填字段 {n}。",
  "Write the field name '{n}' exactly so: in these letters, their case and without escapes.":
    "字段名 {n} 必须原样书写：字母与大小写一致，且不要使用转义。",
  "'{n}' must hold at most {n} bytes.": "{n} 最多只能有 {n} 字节。",
  "'{n}' must be at most {n}.": "{n} 最大为 {n}。",
  "'{n}' lies too deep.": "{n} 嵌套过深。",
  "'{n}' makes this model's upstream charge apart, and no price is set for that. Leave it out, or ask the operator to allow it.":
    "{n} 会让该模型的上游另外计费，而这里没有为此设定价格。请去掉它，或请运营者允许它。",
  "'messages' must hold at least one message.": "messages 至少要有一条消息。",
  "'stream_options' is only allowed when 'stream' is true.":
    "只有 stream 为 true 时才能使用 stream_options。",
  "'model' is too long.": "model 过长。",
  "'model' must not be empty.": "model 不能为空。",
  "'models' must hold at most {n} model ids.": "models 最多包含 {n} 个模型 ID。",
  "'models[{n}]' must be a model id: a string of 1 to {n} characters.":
    "models[{n}] 必须是模型 ID：1 到 {n} 个字符的文字。",
  "'{n}' must be {n}, not {n}.": "{n} 必须是{w}，而不是{w}。",

  "The file at this address could not be fetched. Send it inline, as a data: URL.":
    "无法获取此地址的文件。请以 data: URL 内联发送。",
  "This is not an address of the form https://host/path.": "这不是形如 https://host/path 的地址。",
  "Only https:// addresses are fetched. Send the file inline, as a data: URL.":
    "只会获取 https:// 地址。请以 data: URL 内联发送文件。",
  "This address redirects to another one, and redirects are not followed. Give the final address.":
    "此地址会重定向到另一地址，而重定向不会被跟随。请填写最终地址。",
  "The file at this address is not of a kind this model takes.": "此地址的文件不是该模型接受的类型。",
  "The file at this address is larger than {n} MiB.": "此地址的文件大于 {n} MiB。",
  "The file at this address did not arrive in time. Send it inline, as a data: URL.":
    "此地址的文件未能及时到达。请以 data: URL 内联发送。",
  "Files are not fetched by address here. Send the file inline, as a data: URL.":
    "本站不按地址获取文件。请以 data: URL 内联发送文件。",

  "At most {n} files are fetched by address. Send the others inline.":
    "最多按地址获取 {n} 个文件。其余请内联发送。",
  "The files named by address are larger than {n} together. Send fewer of them.":
    "按地址指明的文件合计大于 {n}。请减少文件。",

  "The path is not valid percent-encoding.": "路径的百分号编码无效。",
  "There are /healthz, /readyz and /metrics at this address.": "此地址提供 /healthz、/readyz 和 /metrics。",
  "There are no figures yet.": "尚无指标。",
  "This address takes GET, HEAD only.": "此地址只接受 GET 和 HEAD。",
  "There is nothing at {n} {n}. {n}": "{n} {n} 没有内容。{n}",
  "The endpoint is POST {base_url}/chat/completions, where base_url ends in /v1.":
    "接口为 POST {base_url}/chat/completions，其中 base_url 以 /v1 结尾。",
  "/{n} takes {n} only.": "/{n} 只接受 {n}。",
  "There must be exactly one Host header.": "必须有且只有一个 Host 请求头。",
  "The Host header must be a host name with an optional port.": "Host 请求头必须是主机名，可带端口。",
  "The request target must be a path, like /v1/chat/completions.":
    "请求目标必须是路径，例如 /v1/chat/completions。",
  "A GET request must have no body.": "GET 请求不能有请求体。",
  "HTTP/1.0 has no Transfer-Encoding; send a Content-Length.":
    "HTTP/1.0 没有 Transfer-Encoding；请发送 Content-Length。",
  "A request must have at most {n} headers.": "一个请求最多 {n} 个请求头。",
  "The request head did not arrive in time.": "请求头未能及时到达。",
  "The request head is too large.": "请求头过大。",
  "This is not a well-formed HTTP/1.1 request.": "这不是格式正确的 HTTP/1.1 请求。",
  "This address is the operator's. Without an operator token it answers programs on Plaza's own machine only; set PLAZA_OPERATOR_TOKEN to use it from elsewhere or through a proxy.":
    "此地址供运营者使用。没有运营者令牌时，只应答 Plaza 本机上的程序；要从别处或经代理使用，请设置 PLAZA_OPERATOR_TOKEN。",
  "This address is the operator's. Send its token, set with PLAZA_OPERATOR_TOKEN, as `Authorization: Bearer …`.":
    "此地址供运营者使用。请以 Authorization: Bearer … 发送 PLAZA_OPERATOR_TOKEN 所设的令牌。",
  "Without a token, metrics are for programs on Plaza's own machine; set PLAZA_METRICS_TOKEN to read them from elsewhere.":
    "没有令牌时，指标只供 Plaza 本机上的程序读取；要从别处读取，请设置 PLAZA_METRICS_TOKEN。",
  "Metrics are the operator's. Send PLAZA_METRICS_TOKEN, or an operator token with the scope health:read, as `Authorization: Bearer …`.":
    "指标供运营者使用。请以 Authorization: Bearer … 发送 PLAZA_METRICS_TOKEN，或有 health:read 权限的运营者令牌。",
};
