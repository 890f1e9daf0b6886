/** Words that several of the operator's pages share, in Chinese. */

export const operatorPartsChinese = {
  sourceFile: "plaza.yaml",
  sourceDemo: "演示",
  fileTitle: "此项来自 plaza.yaml，在此只读",
  fileText: "请在文件中修改并应用；运行中的服务器会在一秒内生效。",
  demoTitle: "此项随安装附带，供初次试用",
  demoText: "演示不是语言模型。您可以修改或移除它；首次应用 plaza.yaml 时它会消失。",
  conflict: "您编辑时，其他人修改了此项，尚未保存任何内容。请查看最新内容，然后再次保存。",
  conflictTitle: "内容已被他人修改",
  conflictText:
    "他人的修改已填入表单，您的修改保留在上。再次保存即可两者兼顾；同一字段双方都改时，以您的为准。",
  conflictThere: "当前内容",
  conflictYours: "您填写的",
  takeTheirs: "放弃我填写的内容",
  none: "无",
  shownOnce: "仅显示一次，请立即复制：系统只保存其摘要，无法再次显示。",
  linkOnce: "此链接仅显示一次。请将其发给对方；任何人打开后可使用一次，直至过期。",
  linkExpires: "过期时间",
  iHaveIt: "完成",
  copyLink: "复制链接",
  copySecret: "复制密钥",
};
