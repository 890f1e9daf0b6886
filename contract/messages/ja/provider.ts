/** Options and notes of providers and services, in Japanese. */

export const providerTexts = {
  "provider.chargedApart":
    "呼び出し元が使用できる、別料金のパラメーター（例：service_tier,web_search_options,tools）",
  "provider.geminiOrVertex": "次のどちらか：gemini、vertex（空欄の場合は、ベース URL から判断）",
  "provider.azureApiVersion": "API バージョン（例：2024-10-21、2025-04-01-preview）",
  "provider.azureAuth": "次のいずれか：key、entra、bearer",
  "provider.azureAuthority": "トークンを発行する URL（例：https://login.microsoftonline.us）",
  "provider.azureScope": "トークンのスコープ（例：https://cognitiveservices.azure.us/.default）",
  "provider.awsRegion": "リクエストの署名に使用する AWS リージョン（空欄の場合は、ホスト名から判断）",
  "provider.guardrail": "すべてのリクエストに使用するガードレールの ID または ARN",
  "provider.guardrailVersion": "ガードレールのバージョン（空欄の場合は DRAFT）",
  "provider.tokenAddress": "サービスアカウントのキーをトークンと交換する URL（空欄の場合は Google の URL）",
  "provider.anthropicBeta": "ヘッダー anthropic-beta のフラグ（コンマ区切り）",
  "provider.perplexityEnded":
    "Perplexity はチャット補完の提供を終了しました。Agent API（POST https://api.perplexity.ai/v1/responses、OpenAI の Responses 形式）は継続していますが、Plaza はアップストリームのこの形式にまだ対応していません。",
  "provider.githubEnded":
    "GitHub はこのサービスを、プレイグラウンド、カタログ、推論、独自のキーの利用も含めて終了しました。",
  "provider.bedrockOpenai":
    "Bedrock の API キーを使用してください。一部のモデルは /openai/v1 にあります。Claude には、プロバイダー bedrock を使用してください。",
  "provider.nvidiaCatalog":
    "ホスト型の API カタログです。自分の NIM コンテナの場合は、そのベース URL を入力してください。",
  "provider.accessToken": "認証情報として、プログラム用のアクセストークンを使用してください。",
  "provider.serviceAccount":
    "認証情報として、1行にまとめたサービスアカウントのキーファイル、またはアクセストークンを使用してください。",
  "provider.demo":
    "モデルを使わずに、プロンプトから応答を生成します。キーがなくてもすべてを試せます。docs/start/demo.md を参照してください。",
  "provider.demoEmbedding":
    "モデルを使わずに、単語から作成したベクトルです。共通の単語を持つテキストが互いに近くなります。docs/start/demo.md を参照してください。",
};
