/** Changes of the catalog in the console, in Chinese. */

export const catalogTexts = {
  "catalog.variableNotOwn": "{service} 在此地址不使用该变量存放密钥。",
  "catalog.variableUnset": "环境变量 {variable} 未设置。",
  "catalog.credentialNeeded": "{service} 需要凭据。",
  "catalog.credentialsUnreadable": "无法解密已保存的凭据。请在该上游的页面重新填写。",
  "catalog.upstreamUnknown": "未找到上游 {id}。",
  "catalog.modelUnknown": "未找到模型 {id}。",
  "catalog.credentialsAgain": "请重新填写凭据。已保存的凭据属于原来的地址和协议。",
  "catalog.modelOfFile": "{id} 是 plaza.yaml 中的模型：请在文件中添加部署，或使用其他 ID",
  "catalog.modelOfFileHere": "plaza.yaml 中已定义此模型。请在文件中添加部署，或使用其他 ID。",
  "catalog.idTwice": "列表中的第 {number} 项使用了相同的 ID。",
  "catalog.limitsOfFile": "限额由目录文件管理，请在文件中修改。",
  "catalog.usedByModels": "有模型正在使用此上游：{models}。请先修改或移除它们。",
  "catalog.fallenBackTo": "有模型以它为后备：{models}。请先修改它们。",
  "catalog.fallbackLoop": "后备模型形成了循环，指回了此模型。",
  "catalog.thingUnknown": "未找到{what:upstream=上游|model=模型|limits=限额} {id}。",
  "catalog.thingOfFile": "{what:upstream=上游|model=模型} {id} 由目录文件管理，请在文件中修改。",
  "catalog.thingExists": "已有名为 {id} 的{what:upstream=上游|model=模型|limits=限额}。",
  "catalog.full": "目录中的{what:upstream=上游|model=模型}已达上限 {max} 个，请先移除一些。",
  "catalog.thingRemoved": "您编辑时，其他用户移除了{what:upstream=上游|model=模型} {id}。",
  "catalog.andMore": "{names}，另有 {more} 个",
} as const;
