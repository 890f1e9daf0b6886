/** Changes of the catalog in the console, in Chinese. */

export const catalogTexts = {
  "catalog.variableNotOwn": "该变量不是 {service} 在此地址存放密钥所用的变量。",
  "catalog.variableUnset": "环境变量 {variable} 未设置。",
  "catalog.credentialNeeded": "{service} 需要凭据。",
  "catalog.credentialsUnreadable": "无法打开已保存的凭据；请在该上游的页面重新填写。",
  "catalog.upstreamUnknown": "没有上游 {id}。",
  "catalog.modelUnknown": "没有模型 {id}。",
  "catalog.credentialsAgain": "请重新填写凭据：已保存的凭据只用于原来的地址和协议。",
  "catalog.modelOfFile": "{id} 是 plaza.yaml 中的模型：请在文件中添加部署，或为此处另取 ID",
  "catalog.modelOfFileHere": "这是 plaza.yaml 中的模型：请在文件中添加部署，或为此处另取 ID。",
  "catalog.idTwice": "列表中第 {number} 个也用了此 ID。",
  "catalog.limitsOfFile": "限额来自目录文件，请在文件中修改。",
  "catalog.usedByModels": "有模型由此上游提供：{models}。请先修改或移除它们。",
  "catalog.fallenBackTo": "有模型以它为后备：{models}。请先修改它们。",
  "catalog.fallbackLoop": "后备模型形成了循环，指回了此模型。",
  "catalog.thingUnknown": "没有{what:upstream=上游|model=模型|limits=限额} {id}。",
  "catalog.thingOfFile": "{what:upstream=上游|model=模型} {id} 来自目录文件，请在文件中修改。",
  "catalog.thingExists": "已有名为 {id} 的{what:upstream=上游|model=模型|limits=限额}。",
  "catalog.full": "目录最多有 {max} 个{what:upstream=上游|model=模型}，请先移除一些。",
  "catalog.thingRemoved": "在此期间，{what:upstream=上游|model=模型} {id} 已被移除。",
  "catalog.andMore": "{names}，另有 {more} 个",
} as const;
