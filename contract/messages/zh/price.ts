/** Faults of a price or a limit, in Chinese. */

export const priceTexts = {
  "price.perMillion":
    "每百万 token 的美元价格{where:file=（加引号）|form=}，0 到 1000000，最多九位小数，例如 0.25",
  "price.perRequest": "每次请求的美元价格{where:file=（加引号）|form=}，0 到 1000，最多九位小数，例如 0.001",
  "price.quoteLike": "请给价格加引号，以保留全部数字：{quoted}",
  "price.quote": "请给价格加引号，以保留全部数字；请填写{form}",
  "price.refused":
    "{given} {fault:negative=是负数|signed=带有正负号|not_a_number=不是数字|not_decimal=不是十进制数字|exponent=带有指数|currency=含有货币符号或文字|comma=用了逗号而不是小数点|too_many_decimals=超过九位小数|form=不是价格}；请填写{form}",
  "price.tooLarge": "{given} 大于 {max}；请填写{form}",
  "price.tierWithoutSize": "请填写适用此阶梯的提示词大小",
  "price.tiersUnsorted": "必须大于前面阶梯的 {largest}；请按大小从小到大排列",
  "price.timeTwice": "与此模型的另一个价格时间相同",
  "price.twoBase": "没有起始时间，{other} 也没有；只能有一个价格没有起始时间",
  "price.noBase": "需要一个没有起始时间的价格，在其他价格生效之前使用",
  "price.limitForm": "0（拒绝所有请求）到 {max} 的整数",
  "price.limitRefused":
    "{given} {fault:negative=是负数|signed=带有正负号|exponent=带有指数：请写出全部数字|fraction=是小数|separators=带有分隔符：请只写数字|too_large=超过 2^53 - 1|not_a_number=不是数字}；必须是{form}",
  "price.limitGive":
    "{given} {fault:negative=是负数|signed=带有正负号|exponent=带有指数：请写出全部数字|fraction=是小数|separators=带有分隔符：请只写数字|too_large=超过 2^53 - 1|not_a_number=不是数字}；请填写{form}。",
} as const;
