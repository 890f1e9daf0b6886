/** Limits and balances, in Japanese. */

export const limitTexts = {
  "limit.balanceTooLow":
    "アカウントの残高が不足しています。このリクエストには {need} USD 以上が必要ですが、利用可能な残高は {left} USD です。チャージするか、プロンプトを短くするか、出力を減らしてください。",
  "limit.budgetTooLow":
    "この API キーの{period:day=日次|month=月次}予算が不足しています。このリクエストには {need} USD 以上が必要ですが、{until} までの残りは {left} USD です。",
  "limit.balanceUnchecked": "現在、残高を確認できません。しばらくしてからもう一度お試しください。",
  "limit.tokens":
    "{scope:key=この API キー|account=このアカウント|model=このモデル|all=このインストール環境}は{scope:model=、すべての呼び出し元の合計で|all=、すべての呼び出し元の合計で|*=}1分あたり {limit} トークンに制限されています",
  "limit.requests":
    "{scope:key=この API キー|account=このアカウント|model=このモデル|all=このインストール環境}は{scope:model=、すべての呼び出し元の合計で|all=、すべての呼び出し元の合計で|*=}1分あたり {limit} リクエストに制限されています",
  "limit.concurrency":
    "{scope:key=この API キー|account=このアカウント|model=このモデル|all=このインストール環境}は{scope:model=、すべての呼び出し元の合計で|all=、すべての呼び出し元の合計で|*=}同時 {limit} リクエストに制限されています",
  "limit.blocked":
    "{scope:key=この API キー|account=このアカウント|model=このモデル|all=このインストール環境}は、{kind:rpm=1分あたりのリクエスト数|tpm=1分あたりのトークン数|conc=同時リクエスト数}の制限が 0 のためブロックされています。再試行しても成功しません。制限の引き上げを運用者に依頼してください。",
  "limit.promptTooLarge":
    "{allowed}。プロンプトだけで約 {inputTokens} トークンあります。再試行しても成功しません。プロンプトを短くするか、制限の引き上げを運用者に依頼してください。",
  "limit.concurrencyReached":
    "{allowed}。制限に達しています。実行中のリクエストが完了してから、もう一度お試しください。",
  "limit.tokensReached":
    "{allowed}。このリクエストは最大 {units} トークンを使用する可能性があり、残りを超えています。{seconds} 秒後にもう一度お試しください。",
  "limit.requestsReached": "{allowed}。制限に達しています。{seconds} 秒後にもう一度お試しください。",
};
