/** What every error of the catalogue says where nothing more is known. */

export const errorTexts = {
  "error.invalid_request": "The request is not valid.",
  "error.unsupported_parameter": "This model does not support one of the parameters sent.",
  "error.wrong_endpoint": "This model is not for this endpoint.",
  "error.context_length_exceeded":
    "This model's maximum context length is smaller than what this request needs.",
  "error.content_filter": "The request was blocked by the model's content policy (content_policy_violation).",
  "error.invalid_api_key": "Incorrect API key provided.",
  "error.api_key_expired": "Incorrect API key provided: it has expired.",
  "error.api_key_disabled": "Incorrect API key provided: it is disabled.",
  "error.not_signed_in": "Nobody is signed in.",
  "error.sign_in_failed": "The email address, the password or the code is wrong.",
  "error.second_factor_required": "This user signs in with a code from an authenticator app, too.",
  "error.insufficient_balance":
    "The balance of this account is too low for this request. Top it up and try again.",
  "error.budget_exceeded": "The budget of this API key is used up for the current period.",
  "error.model_not_allowed": "This API key may not use this model.",
  "error.ip_not_allowed": "This API key may not be used from this address.",
  "error.not_permitted": "This is not yours to see or do.",
  "error.forgery_suspected": "This request did not come from Plaza's own pages.",
  "error.account_suspended": "This account is suspended.",
  "error.model_not_found": "The model does not exist or you do not have access to it.",
  "error.not_found": "There is nothing at this address.",
  "error.method_not_allowed": "This address does not take this HTTP method.",
  "error.request_timeout": "The request did not arrive in time.",
  "error.idempotency_in_flight": "A call with this Idempotency-Key is still under way.",
  "error.idempotency_answer_not_kept":
    "The call with this Idempotency-Key was answered, but its answer was too large to be kept.",
  "error.changed_meanwhile": "Somebody else changed this since you read it.",
  "error.already_exists": "There is one with this name already.",
  "error.managed_by_file": "This comes from the catalog file and is changed there.",
  "error.already_used": "This has been used already.",
  "error.request_too_large": "The request body is too large.",
  "error.unsupported_media_type":
    "The body must be JSON sent as Content-Type: application/json, compressed with gzip or zstd or not at all.",
  "error.idempotency_key_reused": "This Idempotency-Key was used for a call with another body.",
  "error.rate_limit_exceeded": "Too many requests.",
  "error.too_many_attempts": "Too many attempts. Wait a little.",
  "error.internal_error": "Plaza made a mistake while handling this request.",
  "error.upstream_error": "The upstream that serves this model failed.",
  "error.no_available_upstream": "No upstream can serve this model at the moment.",
  "error.overloaded": "Plaza is at its capacity or restarting. Try again shortly.",
  "error.ledger_unavailable": "The request cannot be recorded at the moment. Try again shortly.",
  "error.unsupported_http_version":
    "This port speaks HTTP/1.1 only. Let the client use HTTP/1.1 (curl --http1.1), or put a proxy that speaks HTTP/2 in front.",
  "error.upstream_timeout": "The upstream that serves this model did not answer in time.",
} as const;
