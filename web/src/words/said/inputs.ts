/** What is said of the inputs of embeddings and legacy completions, in Chinese. */

export const inputSentences: Readonly<Record<string, string>> = {
  "Invalid type for '{n}': expected a string.": "“{n}” 的类型无效：应为字符串。",
  "Invalid type for '{n}': expected {n}, but got a value of another type instead.":
    "“{1}” 的类型无效：应为 {2}，收到的是其他类型。",
  "Invalid type for '{n}': expected an integer, but got a decimal number instead.":
    "“{n}” 的类型无效：应为整数，收到的是小数。",
  "Invalid type for 'dimensions': expected an integer, but got a {n} instead.":
    "“dimensions” 的类型无效：应为整数，收到的是 {n}。",
  "Invalid type for '{n}': expected {n}, but got {n} instead.": "“{1}” 的类型无效：应为 {2}，收到的是 {3}。",
  "Invalid '{n}': empty array. Expected an array with minimum length 1, but got an empty array instead.":
    "“{n}” 无效：数组为空，至少要有 1 项。",
  "Invalid '{n}': array too long. Expected an array with maximum length {n}, but got an array with length {n} instead.":
    "“{1}” 无效：数组过长，最多 {2} 项，收到 {3} 项。",
  "Invalid '{n}': input cannot be an empty string.": "“{n}” 无效：输入不能是空字符串。",
  "Invalid '{n}': integer below minimum value. Expected a value >= 0, but got {n} instead.":
    "“{1}” 无效：整数过小，应不小于 0，收到 {2}。",
  "Invalid 'dimensions': integer below minimum value. Expected a value >= 1, but got {n} instead.":
    "“dimensions” 无效：整数过小，应不小于 1，收到 {n}。",
  "Invalid 'dimensions': integer above maximum value. Expected a value <= {n}, but got {n} instead.":
    "“dimensions” 无效：整数过大，应不大于 {1}，收到 {2}。",
  "Invalid value: {n}. Supported values are: 'float' and 'base64'.":
    "值无效：{n}。支持的值为 “float” 和 “base64”。",
  "Missing required parameter: 'input'.": "缺少必填参数 “input”。",
  "This model's upstream takes texts, not token numbers. Send 'input' as text.":
    "该模型的上游接受文本，不接受词元编号。请以文本发送 “input”。",
};
