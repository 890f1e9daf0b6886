/** What is wrong with a request in OpenAI's Responses format. */

export const responsesTexts = {
  "responses.input": "input 必须是文字或条目的列表。",
  "responses.role": "{param}.role 只能是 user、assistant、system 或 developer。",
  "responses.partType":
    "{param}.type 只能是 input_text、input_image、input_file、input_audio、output_text 或 refusal。",
  "responses.content": "{param} 必须是文字或内容片段的列表。",
  "responses.callWithoutId": "缺少 {param}：它指明是哪次调用。",
  "responses.callWithoutName": "调用需要工具名。",
  "responses.image": "{param} 需要 image_url 或 file_id。",
  "responses.file": "{param} 需要 file_data、file_url 或 file_id。",
  "responses.format": "text.format.type 只能是 text、json_object 或 json_schema。",
  "responses.effort": "reasoning.effort 必须是文字。",
  "responses.stored":
    "{param} 需要已存储的响应，此处不可用。请在 input 中发送完整对话，并设置 store: false。",
  "responses.reference": "{param} 引用的条目未存储在此。请直接发送该条目，并设置 store: false。",
  "responses.background": "此处不支持 background。请去掉它，改用流式回答。",
  "responses.notStored":
    "此账户没有存储 id 为 {id} 的内容。它可能已过期或被删除：请在 input 中发送完整对话。",
  "responses.foreignId":
    "{param} 指向存放在上游的内容，而此账户没有在此处存储的响应中得到过它。请直接发送内容。",
  "responses.foreignTooMany": "一个请求最多可指向 {max} 个存放在上游的内容。",
  "responses.encrypted":
    "上游无法读取带 encrypted_content 的条目（推理或压缩）：它由其他上游生成，或已被改动。请去掉这类条目后重新发送。",
  "responses.stateId": "{param} 必须是一个响应的 id。",
  "responses.chainTooLong": "此对话的已存储响应过多。请在 input 中发送对话，不要使用 previous_response_id。",
  "responses.referencesTooMany": "input 最多可引用 {max} 个已存储的条目。",
  "responses.tooLargeWithStored": "连同它所延续的已存储响应，此请求超过 {max} 字节。",
  "responses.unread": "目前无法读取已存储的响应。请重试。",
  "responses.streamFlag": "stream 只能是 true 或 false。",
  "responses.pageLimit": "limit 必须是 1 到 {max} 的整数。",
  "responses.pageOrder": "order 只能是 asc 或 desc。",
} as const;
