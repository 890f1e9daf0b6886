/** What a call of the data plane is refused with, in Chinese. */

export const callTexts = {
  "call.bodiesFull": "Plaza 正在接收的请求体总量已达上限，请稍后重试。",
  "call.stopped": "回答完成之前，此 Plaza 进程已停止。请重新发送。",
} as const;
