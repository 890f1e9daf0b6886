/** What became of a call to an upstream, in Chinese. */

export const upstreamTexts = {
  "upstream.words": "{text}",
  "upstream.tooLarge": "上游因请求过大而拒绝。",
  "upstream.refusedGateway": "提供该模型的上游拒绝了本站，需要运营者处理。",
  "upstream.limiting": "提供该模型的上游正在限流，请稍后重试。",
  "upstream.overMinute": "此请求超过上游一分钟所能接受的量。等待没有用，请缩短内容。",
  "upstream.overloaded": "提供该模型的上游过载，请稍后重试。",
  "upstream.contextMax": "模型的最大上下文长度为 {limit} 个 token。",
  "upstream.withDetail": "{beginning}{detail}",
  "upstream.shorten": "请缩短消息、减少所要的输出，或选择上下文更大的模型。",
  "upstream.changePrompt": "请修改提示词：重复发送只会得到同样的结果。",
} as const;
