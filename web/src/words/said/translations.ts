/** What a protocol cannot be told, in Chinese: why a translator of `providers/` refused a call. See `../server-sentences.ts`. */

/** English sentence → Chinese. */
export const translationSentences: Readonly<Record<string, string>> = {
  "'{n}' cannot be expressed for this model's upstream. Leave it out, or send x-plaza-drop-params: true.":
    "{n} 无法转达给该模型的上游。请去掉它，或发送 x-plaza-drop-params: true。",
  '\'{n}\' must be {"type": "ephemeral"}, with "ttl" "5m" or "1h" where wanted.':
    '{n} 必须是 {"type": "ephemeral"}，需要时可加 "ttl" "5m" 或 "1h"。',
  "'{n}.ttl' must be 5m or 1h.": "{n}.ttl 只能是 5m 或 1h。",
  "'{n}' must name a tool call of the assistant message before it, and each only once.":
    "{n} 必须对应前一条 assistant 消息中的工具调用，且每个只能对应一次。",
  "Every tool call in '{n}' must be answered by a tool message.":
    "{n} 中的每个工具调用都必须有 tool 消息作答。",
  "'{n}' must be between 0 and 2.": "{n} 必须在 0 到 2 之间。",
  "'{n}' must be between 0 and 1.": "{n} 必须在 0 到 1 之间。",
  "'{n}' must be a whole number.": "{n} 必须是整数。",
  "'top_k' must be a positive whole number.": "top_k 必须是正整数。",
  "'{n}' must be a whole number between 0 and 20.": "{n} 必须是 0 到 20 之间的整数。",
  "'{n}' needs '{n}' to be true.": "使用 {n} 时，{n} 必须为 true。",
  "This model cannot stop at texts of nothing but space.": "该模型不能以纯空白的文字作为停止文本。",
  "'{n}' must hold more than blanks for this model's upstream.": "对该模型的上游，stop 不能只有空白。",
  "'stop' must hold at most {n} texts.": "stop 最多 {n} 个文本。",
  "'stop' must be a text or a list of texts.": "stop 必须是文字或文字的列表。",
  "This model's upstream takes at most {n} stop texts.": "该模型的上游最多接受 {n} 个停止文本。",
  "This model's upstream streams one answer only.": "该模型的上游流式返回时只给出一个回答。",
  "This model's upstream gives at most {n} answers.": "该模型的上游最多给出 {n} 个回答。",
  "This model takes schemas of closed objects only, without recursion.":
    "该模型只接受封闭对象且不含递归的 schema。",
  "This model cannot answer in JSON while it has tools to call.": "该模型在有工具可调用时不能以 JSON 作答。",
  "This model cannot search the web and call functions in one request.":
    "该模型不能在同一请求中既搜索网页又调用函数。",

  "Images for this model must be image/jpeg, image/png, image/gif or image/webp.":
    "该模型的图片必须是 image/jpeg、image/png、image/gif 或 image/webp。",
  "Files for this model must be PDFs, texts or images, and not empty.":
    "该模型的文件必须是 PDF、文本或图片，且不能为空。",
  "This model takes no audio.": "该模型不接受音频。",
  "Stored files are not known here; send the file itself as file_data.":
    "本站没有已存储的文件；请用 file_data 发送文件本身。",
  "Stored files are not known to this model's upstream.": "该模型的上游没有已存储的文件。",
  "This model's upstream knows no stored files: send it inline.":
    "该模型的上游没有已存储的文件：请内联发送。",
  "This model's upstream takes files inline only: send it as a data: address.":
    "该模型的上游只接受内联文件：请以 data: 地址发送。",
  "This model's upstream takes PNG, JPEG, GIF and WebP images.":
    "该模型的上游接受 PNG、JPEG、GIF 和 WebP 图片。",
  "This model's upstream takes PDF, CSV, Word, Excel, HTML, plain text and Markdown files.":
    "该模型的上游接受 PDF、CSV、Word、Excel、HTML、纯文本和 Markdown 文件。",
  "'{n}' is an address, which this upstream does not fetch. Send the file inline.":
    "{n} 是地址，而此上游不会去获取。请内联发送文件。",
  "'{n}' must be a PNG, JPEG, WebP, HEIC or HEIF image for this model's upstream.":
    "对该模型的上游，{n} 必须是 PNG、JPEG、WebP、HEIC 或 HEIF 图片。",
  "'{n}' is an empty image.": "{n} 是空图片。",
  "'{n}' is an empty file.": "{n} 是空文件。",
  "'{n}' is of a kind this model's upstream does not take.": "{n} 的类型不被该模型的上游接受。",
  "'{n}' is none this model's upstream takes.": "该模型的上游不接受 {n}。",
  "The audio is empty.": "音频为空。",
  "Audio needs its data in base64.": "音频需要 base64 编码的数据。",
  "Only texts can stand in a system or assistant message for this model.":
    "对该模型，system 和 assistant 消息中只能有文字。",
  "A system message holds text only.": "system 消息只能有文字。",
  "A system message can only hold texts here.": "此处的 system 消息只能有文字。",
  "Of the assistant's messages this model's upstream takes only text and calls.":
    "该模型的上游只接受 assistant 消息中的文字和调用。",
  "A tool's result cannot hold audio here.": "此处工具的结果不能包含音频。",
  "There is nothing in these messages to answer.": "这些消息中没有可以回答的内容。",
  "'{n}' must hold at least one message.": "{n} 至少要有一条消息。",
  "This model's upstream needs at least one message that is not empty.":
    "该模型的上游需要至少一条不为空的消息。",

  "'{n}' must be a positive whole number.": "{n} 必须是正整数。",
  "'{n}' must be a whole number of tokens.": "{n} 必须是整数个 token。",
  "'thinking.type' must be enabled, adaptive or disabled.":
    "thinking.type 只能是 enabled、adaptive 或 disabled。",
  "'{n}' must be none, {n}.": "{n} 只能是 none, {n}。",
  "'{n}' must be one of {n}.": "{n} 只能是以下之一：{n}。",
  "'reasoning_effort' must be a text.": "reasoning_effort 必须是文字。",
  "This model does not reason.": "该模型不支持推理。",
  "This model always reasons.": "该模型总是进行推理。",
  "'{n}[{n}]' needs a category and a threshold.": "{n}[{n}] 需要 category 和 threshold。",

  "The arguments of a tool must be an object.": "工具的参数必须是对象。",
  "'{n}.name' must be 1 to 128 letters, digits, _ or - for this model's upstream.":
    "对该模型的上游，{n}.name 必须是 1 到 128 个字母、数字、_ 或 -。",
  "A tool's name must be 1 to 64 letters, digits, _ or - for this model's upstream.":
    "对该模型的上游，工具名必须是 1 到 64 个字母、数字、_ 或 -。",
  "A function's name must begin with a letter or an underscore for this model's upstream.":
    "对该模型的上游，函数名必须以字母或下划线开头。",
  "This model cannot be made to call a tool; tool_choice can be auto or none.":
    "该模型不能被要求调用工具；tool_choice 可为 auto 或 none。",
  "This model cannot be made to call a certain tool; tool_choice can be auto, required or none.":
    "该模型不能被要求调用指定的工具；tool_choice 可为 auto、required 或 none。",
  "Every tool call must be followed by a tool message that answers it.":
    "每个工具调用之后都必须有 tool 消息作答。",
  "A tool message must answer a call of the assistant message before it.":
    "tool 消息必须回答前一条 assistant 消息中的调用。",
  "Tools that take a plain text cannot be expressed for this upstream.":
    "以纯文字为输入的工具无法转达给此上游。",

  "'{n}' must be an address.": "{n} 必须是地址。",
  "'{n}' must be an https: or a data: address.": "{n} 必须是 https: 或 data: 地址。",
  "'{n}' is not a well-formed data: address.": "{n} 不是格式正确的 data: 地址。",
  "'{n}' must be an object.": "{n} 必须是对象。",
  "'{n}' must be a number.": "{n} 必须是数字。",
  "'{n}' must be a list.": "{n} 必须是列表。",
  "'{n}.text' must be a text.": "{n}.text 必须是文字。",
  "'{n}.type' must be text, image_url, input_audio, file or refusal.":
    "{n}.type 只能是 text、image_url、input_audio、file 或 refusal。",
  "'{n}.content' must be a text or a list of parts.": "{n}.content 必须是文字或内容片段的列表。",
  "'{n}.role' must be system, developer, user, assistant or tool.":
    "{n}.role 只能是 system、developer、user、assistant 或 tool。",
  "'response_format.type' must be text, json_object or json_schema.":
    "response_format.type 只能是 text、json_object 或 json_schema。",
  "A JSON Schema object is needed here.": "此处需要一个 JSON Schema 对象。",
  "'tool_calls' must be a list.": "tool_calls 必须是列表。",
  "A tool call needs the function's name.": "工具调用需要函数名。",
  "A tool call needs an id.": "工具调用需要 id。",
  "A function call needs the function's name.": "函数调用需要函数名。",
  "A message with the role 'function' must follow the function call it answers.":
    "角色为 function 的消息必须紧跟在它所回答的函数调用之后。",
  "A tool message needs the id of the call it answers.": "tool 消息需要它所回答的调用的 id。",
  "'{n}.type' must be function or custom.": "{n}.type 只能是 function 或 custom。",
  "A tool needs a name.": "工具需要名称。",
  "'{n}.parameters' must be a JSON Schema object.": "{n}.parameters 必须是 JSON Schema 对象。",
  "'{n}' must be none, auto, required, or name a tool.": "{n} 只能是 none、auto、required，或指明一个工具。",
  "'{n}' must hold at most {n} tools.": "{n} 最多包含 {n} 个工具。",
  "There are two tools called '{n}'.": "有两个名为 {n} 的工具。",
  "There is no tool called '{n}'.": "没有名为 {n} 的工具。",
  "A tool is required, but there are none.": "要求调用工具，但没有提供任何工具。",
};
