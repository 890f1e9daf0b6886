/** What became of a call to an upstream, in Chinese. */

export const upstreamTexts = {
  "upstream.words": "{text}",
  "upstream.tooLarge": "上游因请求过大而拒绝了请求。",
  "upstream.refusedGateway": "提供该模型的上游拒绝了 Plaza 的凭据或配置。请联系运营者。",
  "upstream.limiting": "提供该模型的上游正在限速。请稍后重试。",
  "upstream.overMinute": "此请求超过上游的每分钟限额。重试无效，请缩小请求。",
  "upstream.overloaded": "提供该模型的上游过载，请稍后重试。",
  "upstream.contextMax": "模型的最大上下文长度为 {limit} 个 token。",
  "upstream.withDetail": "{beginning}{detail}",
  "upstream.shorten": "请缩短消息、减少输出，或选择上下文更大的模型。",
  "upstream.changePrompt": "请修改提示词：重复发送会得到同样的结果。",
} as const;
