/** Words that several of the operator's pages share, in Chinese. */
import type { operatorPartsMessages } from "../../en/pages/operator-parts.ts";
import type { Translation } from "../../messages.ts";

export const operatorPartsChinese: Translation<typeof operatorPartsMessages> = {
  sourceFile: "plaza.yaml",
  sourceDemo: "演示",
  fileTitle: "由 plaza.yaml 管理，在此只读",
  fileText: "请编辑 plaza.yaml 并应用。运行中的服务器会在一秒内使用新配置。",
  demoTitle: "由演示设置创建",
  demoText: "演示不是语言模型。您可以编辑或移除它。首次应用 plaza.yaml 时，Plaza 会将其移除。",
  conflict: "您打开此页后，其他用户修改了内容。您的修改尚未保存。请查看当前值，然后再次保存。",
  conflictTitle: "已被其他用户修改",
  conflictText: "表单已包含其他用户的修改。再次保存可同时保留双方的修改。双方都修改的字段会保存您的值。",
  conflictThere: "当前值",
  conflictYours: "您的值",
  takeTheirs: "采用当前值",
  none: "无",
  shownOnce: "请立即复制。Plaza 只显示一次，并且只保存其摘要。",
  linkOnce: "请立即复制此链接并发给对方。链接只显示一次，到期前任何人都可以使用，且只能使用一次。",
  linkExpires: "过期时间",
  iHaveIt: "完成",
  copyLink: "复制链接",
  copySecret: "复制密钥",
};
