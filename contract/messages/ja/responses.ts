/** What is wrong with a request in OpenAI's Responses format, in Japanese. */

export const responsesTexts = {
  "responses.input": "input は、テキストまたは項目のリストにしてください。",
  "responses.role": "{param}.role は、user、assistant、system、developer のいずれかにしてください。",
  "responses.partType":
    "{param}.type は、input_text、input_image、input_file、input_audio、output_text、refusal のいずれかにしてください。",
  "responses.content": "{param} は、テキストまたはパートのリストにしてください。",
  "responses.callWithoutId": "{param} がありません。どの呼び出しかを示すために必要です。",
  "responses.callWithoutName": "呼び出しにはツールの名前が必要です。",
  "responses.image": "{param} には image_url または file_id が必要です。",
  "responses.file": "{param} には file_data、file_url、file_id のいずれかが必要です。",
  "responses.format": "text.format.type は、text、json_object、json_schema のいずれかにしてください。",
  "responses.effort": "reasoning.effort はテキストにしてください。",
  "responses.stored":
    "{param} には保存されたレスポンスが必要ですが、ここでは使用できません。store: false を指定して、会話全体を input で送信してください。",
  "responses.reference":
    "{param} が参照する項目は、ここには保存されていません。store: false を指定して、項目自体を送信してください。",
  "responses.background":
    "background はここでは使用できません。指定を外し、レスポンスをストリーミングしてください。",
  "responses.notStored":
    "ID {id} のものは、このアカウントには保存されていません。期限が切れたか、削除された可能性があります。会話全体を input で送信してください。",
  "responses.foreignId":
    "{param} はアップストリームに保存されたものを指していますが、このアカウントが、ここに保存されたレスポンスで受け取ったものではありません。内容自体を送信してください。",
  "responses.foreignTooMany":
    "1つのリクエストで指定できる、アップストリームに保存されたものは {max} 個までです。",
  "responses.encrypted":
    "encrypted_content を含む項目（推論または圧縮）をアップストリームが読み取れません。別のアップストリームが作成したか、変更されています。このような項目を外して、リクエストをもう一度送信してください。",
  "responses.stateId": "{param} はレスポンスの ID にしてください。",
  "responses.chainTooLong":
    "この会話には、保存されたレスポンスが多すぎます。previous_response_id を使わずに、会話を input で送信してください。",
  "responses.referencesTooMany": "input で参照できる保存済みの項目は {max} 個までです。",
  "responses.tooLargeWithStored":
    "続きの元になる保存済みのレスポンスを含めると、このリクエストは {max} バイトを超えます。",
  "responses.unread": "現在、保存されたレスポンスを読み取れません。もう一度お試しください。",
  "responses.streamFlag": "stream は true または false にしてください。",
  "responses.pageLimit": "limit は 1 から {max} までの整数にしてください。",
  "responses.pageOrder": "order は asc または desc にしてください。",
};
