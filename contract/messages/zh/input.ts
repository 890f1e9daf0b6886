/** What is said of the inputs of embeddings and legacy completions, in Chinese. */

export const inputTexts = {
  "input.expected": "“{param}” 的类型无效：应为 {wanted}，收到的是 {given}。",
  "input.expectedText": "“{param}” 的类型无效：应为字符串。",
  "input.otherType": "“{param}” 的类型无效：应为 {wanted}，收到的是其他类型。",
  "input.decimal": "“{param}” 的类型无效：应为整数，收到的是小数。",
  "input.notInteger": "“{param}” 的类型无效：应为整数，收到的是 {given}。",
  "input.emptyArray": "“{param}” 无效：数组为空，至少要有 1 项。",
  "input.tooMany": "“{param}” 无效：数组过长，最多 {max} 项，收到 {count} 项。",
  "input.emptyText": "“{param}” 无效：输入不能是空字符串。",
  "input.below": "“{param}” 无效：整数过小，应不小于 {min}，收到 {given}。",
  "input.above": "“{param}” 无效：整数过大，应不大于 {max}，收到 {given}。",
  "input.encodingFormat": "值无效：{given}。支持的值为 “float” 和 “base64”。",
  "input.missing": "缺少必填参数 “{param}”。",
  "input.noStream": "此端点不支持流式输出。请去掉 'stream'。",
  "input.oneModel": "'models' 列出了多个模型。不同模型的向量无法相互比较，因此嵌入请求只能使用一个模型。",
  "input.modelNotKnown": "Plaza 不认识此模型上游的嵌入格式。请联系运营者改用其他上游。",
  "input.tokensNotTaken": "该模型的上游不接受 token 编号。请以文本发送 “input”。",
} as const;
