/** What the console's own API refuses with, in Chinese: `server/src/control` and what the store refuses. See `../server-sentences.ts`. */

/** English sentence → Chinese. */
export const consoleSentences: Readonly<Record<string, string>> = {
  "No operator token may do this; sign in.": "任何运营者令牌都不能执行此操作；请登录。",
  "The token lacks the scope {n}.": "该令牌缺少权限范围 {n}。",
  "Only the operator of this installation may do this.": "只有本站的运营者可以执行此操作。",
  "You belong to no account, so there is nothing here for you.": "您不属于任何账户，因此这里没有您的内容。",
  "Only an owner of the account may do this.": "只有账户所有者可以执行此操作。",
  "The body is not valid JSON.": "请求体不是有效的 JSON。",
  "There is no such route; /api/openapi.json lists them.": "没有这个接口；/api/openapi.json 列出了全部接口。",
  "The body may have {n} bytes at most.": "请求体最多 {n} 字节。",
  "This is an API key; it is for /v1. The console's API takes a session or an operator token.":
    "这是 API 密钥，只用于 /v1。控制台的接口需要登录会话或运营者令牌。",
  "There is no such operator token, or it has expired or was revoked.":
    "没有这个运营者令牌，或它已过期、已被吊销。",
  "This is not where a page of this list begins. Ask for the first page again.":
    "列表的这一页不从这里开始。请重新从第一页读取。",

  "You have no password yet; set one first.": "您还没有密码，请先设置。",
  "The password is wrong.": "密码错误。",
  "The code is wrong, or was used already.": "验证码有误或已被使用。",
  "The code is wrong. Is the clock of your phone right?": "验证码有误。请检查手机的时间是否准确。",
  "The password must not be the email address.": "密码不能与邮箱地址相同。",
  "That password is one of the first anybody tries.": "这个密码太常见，很容易被猜到。",
  "Two-factor is on already; turn it off first.": "两步验证已开启，请先关闭。",
  "Two-factor is not on.": "两步验证未开启。",
  "Begin the set-up of two-factor first.": "请先开始设置两步验证。",
  "There is no time zone of that name.": "没有这个名称的时区。",
  "You have no such session.": "您没有这个登录会话。",
  "This link does not exist, or its time is over. Ask for a new one.":
    "此链接不存在或已过期，请索取新的链接。",
  "This link has been used already. Sign in, or ask for a new one.":
    "此链接已被使用。请登录，或索取新的链接。",
  "This installation has an operator already. Sign in.": "本站已有运营者，请登录。",
  "There is a user with this email address already. Sign in.": "已有使用此邮箱的用户，请登录。",
  "There is a user with this email address already.": "已有使用此邮箱的用户。",
  "Give your name.": "请填写您的姓名。",
  "Give your email address.": "请填写您的邮箱地址。",

  "There is no such user.": "没有这个用户。",
  "There is no such invitation.": "没有这个邀请。",
  "There is no such token.": "没有这个令牌。",
  "There is no such account.": "没有这个账户。",
  "There is no such account, or it is closed.": "没有这个账户，或它已关闭。",
  "This is the last operator. Make somebody else an operator first.":
    "这是最后一位运营者，请先指定其他运营者。",
  "This is the account's last owner. Make somebody else an owner first.":
    "这是账户的最后一位所有者，请先指定其他所有者。",
  "Ask another operator: nobody changes their own status or rights.":
    "请联系其他运营者：任何人都不能修改自己的状态或权限。",
  "Concerning operators the token needs the scope installation:write, too.":
    "涉及运营者时，令牌还需要权限范围 installation:write。",
  "{n} invitations are open; withdraw some of them first.": "已有 {n} 个有效的邀请，请先撤回一些。",
  "The user is disabled; make it active first.": "该用户已停用，请先启用。",
  "Only an operator may withdraw an operator's invitation.": "只有运营者才能撤回运营者的邀请。",
  "A token cannot make one that outlives it: it expires on {n}.":
    "令牌不能创建比自己更晚到期的令牌：它将于 {n} 到期。",
  "What this was asked with has just ended.": "用于此操作的登录或令牌刚刚失效。",
  "A token cannot give what it does not have: {n}.": "令牌不能给出自己没有的权限：{n}。",
  "Give a time that is still to come.": "请填写将来的时间。",

  "This account is closed.": "此账户已关闭。",
  "This account is closed for ever. Make another one.": "此账户已永久关闭，请另建一个。",
  "The account is not there any more.": "该账户已不存在。",
  "A line of 0 changes nothing.": "金额为 0 的明细不会改变任何东西。",
  "Only an adjustment takes money away.": "只有调整可以减少余额。",
  "Say why the balance is corrected.": "请说明调整余额的原因。",
  "Name the request that is refunded.": "请填写退款所针对的请求。",
  "Only a refund is for a request.": "只有退款才针对请求。",
  "Only a top-up expires.": "只有充值才会到期。",
  "This lies in the past.": "该时间已过去。",
  "This is too far away.": "该时间过于久远。",
  "There is no account {n}.": "没有账户 {n}。",
  "Account {n} is closed.": "账户 {n} 已关闭。",
  "An entry of 0 changes nothing.": "金额为 0 的明细不会改变任何东西。",
  "A {n} cannot be negative.": "{w}不能为负数。",
  "The top-up would have expired already.": "该充值会立即到期。",
  "Only {n} of account {n} can be taken away; {n} are lent to running servers.":
    "账户 {2} 最多只能减少 {1}；另有 {3} 已借给运行中的进程。",
  "Only {n} of account {n} can be taken away.": "账户 {2} 最多只能减少 {1}。",
  "A refund names the request it is for.": "退款须指明所针对的请求。",
  "Request {n} was refunded before.": "请求 {n} 已退过款。",
  "Account {n} paid {n} for request {n}, which is less.": "账户 {1} 为请求 {3} 只支付了 {2}，少于此金额。",
  "Reference {n} of account {n} stands for another entry ({n}, {n}).":
    "账户 {2} 的参考号 {1} 已用于另一笔明细（{w3}，{4}）。",
  "Reference {n} of account {n} stands for another entry ({n}, {n}, expires {n}).":
    "账户 {2} 的参考号 {1} 已用于另一笔明细（{w3}，{4}，{5} 到期）。",
  "A balance of more than {n} USD is not possible.": "余额不能超过 {n} 美元。",
  "{n} must be a whole number from 0 to {n}.": "{w}必须是 0 到 {n} 的整数。",
  "An account cannot begin with a negative balance.": "账户的初始余额不能为负数。",
  "A threshold is not negative.": "提醒金额不能为负数。",
  "It cannot be added: {n}.": "无法入账：{n}。",

  "Enter a code.": "请填写兑换码。",
  "There is no such batch of codes.": "没有这批兑换码。",
  "There is no batch {n}.": "没有批次 {n}。",
  "There is no such code. Check it letter by letter.": "没有这个兑换码，请逐字核对。",
  "This is not a code of ours, or a letter is wrong: they look like plaza-XXXX-XXXX-XXXX-XXXX-XX.":
    "这不是本站的兑换码，或有字符输错：兑换码形如 plaza-XXXX-XXXX-XXXX-XXXX-XX。",
  "This code was withdrawn. Ask whoever gave it to you for another one.":
    "此兑换码已作废，请向给您兑换码的人另要一个。",
  "This code could be redeemed until {n}.": "此兑换码的有效期至 {n}。",
  "This account redeemed the code on {n}.": "此账户已于 {n} 兑换过该兑换码。",
  "This code was redeemed before.": "此兑换码已被兑换。",
  "A code of 0 is worth nothing.": "面额为 0 的兑换码没有价值。",
  "A code is worth more than nothing.": "兑换码的面额必须大于 0。",
  "A batch has at least one code.": "一批至少有一个兑换码。",
  "A check is running already. Wait for its result.": "自检正在进行，请等待结果。",
  "The email address was taken meanwhile.": "在此期间，该邮箱已被使用。",

  "There is no such key.": "没有这个密钥。",
  "There is no such key, or it is not yours to see.": "没有这个密钥，或您无权查看。",
  "This key is revoked for ever. Make another one.": "此密钥已被永久吊销，请另建一个。",
  "This key is disabled. Enable it first.": "此密钥已停用，请先启用。",
  "This key has expired. Choose another one.": "此密钥已过期，请选择其他密钥。",
  "An account has at most {n} keys. Revoke some that nobody uses.":
    "一个账户最多 {n} 个密钥。请吊销无人使用的密钥。",
  "Choose at least one model, or let it use all of them.": "请至少选择一个模型，或允许使用全部模型。",
  'There is no model "{n}" here.': "没有模型 {n}。",
  "There is no model '{n}' in the catalog.": "目录中没有模型 {n}。",
  "Give at least one address, or let it be used from anywhere.": "请至少填写一个地址，或允许从任何地方使用。",
  "The address has bits beyond the length of its network; write the network's first address, like 203.0.113.0/24.":
    "地址中有超出网段长度的位；请填写网段的首个地址，例如 203.0.113.0/24。",
  "This is neither an address like 203.0.113.7 nor a network like 203.0.113.0/24 or 2001:db8::/32.":
    "这既不是形如 203.0.113.7 的地址，也不是形如 203.0.113.0/24 或 2001:db8::/32 的网段。",
  "A budget of 0 pays for nothing; disable the key instead.": "预算为 0 时无法支付任何请求；请改为停用密钥。",

  "There is no such request. It is there once its answer is complete.":
    "没有这个请求。回答完成后它才会出现。",
  "The end is not after the beginning.": "结束时间不晚于开始时间。",
  "There was nothing to count before 1970.": "1970 年之前没有可统计的内容。",
  "At most {n} days can be asked for at once.": "一次最多查询 {n} 天。",
  "These are more than {n} rows: ask for fewer days, or for some models, keys or accounts.":
    "结果超过 {n} 行：请减少天数，或只选部分模型、密钥或账户。",
  "Numbers are kept by the half hour, and the clocks of {n} differ from UTC by something else. Ask for UTC.":
    "数字按半小时统计，而 {n} 与 UTC 的时差不是半小时的整数倍。请改用 UTC。",
  '"{n}" is not a time zone; give an IANA name like Europe/Berlin.':
    "{n} 不是时区；请填写 IANA 名称，例如 Asia/Shanghai。",
};

/** What the store writes beside a line of a ledger, and what its self-check found. */
export const ledgerSentences: Readonly<Record<string, string>> = {
  "Code …{n}": "兑换码 …{n}",
  "unused rest of entry {n}": "第 {n} 号明细的未用余额",
  "the balance says {n} USD, its entries add up to {n} USD": "余额为 {n} 美元，其明细合计为 {n} 美元",
  "balance {n} USD with {n} USD lent is not possible": "余额 {n} 美元不可能借出 {n} 美元",
  "{n} USD are said to be lent, the leases add up to {n} USD": "记录借出 {n} 美元，租约合计为 {n} 美元",
  "holder {n} has a lease on nothing": "进程 {n} 有一个不针对任何对象的租约",
  "the request has {n} {n} entries": "该请求有 {1} 条{w2}明细",
  "account {n} has the {n} of a request that is not there": "账户 {1} 有一笔{w2}，但对应的请求不存在",
  "account {n} has the {n} of a request account {n} made": "账户 {1} 有一笔{w2}，但请求属于账户 {3}",
  "the request says {n} {n} USD, the ledger {n} USD": "请求记录的{w1}为 {2} 美元，账本为 {3} 美元",
  "charged {n} USD without a price": "没有价格却收费 {n} 美元",
  "charged {n} USD where usage and price {n} give {n} USD":
    "收费 {n} 美元，而按用量和价格记录 {n} 应为 {n} 美元",
  "{n} USD are counted as spent, the key's requests paid {n} USD":
    "预算计为已用 {n} 美元，而该密钥的请求共支付 {n} 美元",
  "{n} USD are left of a grant of {n} USD": "{2} 美元的充值却剩余 {1} 美元",
};
