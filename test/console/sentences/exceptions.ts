/** Of the sentences the server can say: examples of those whose parts vary in words, and texts that nobody reads. For tests. */

const minute = "Waiting does not help; send less, or ask the operator to raise the limit.";
const usd =
  'give US dollars per million tokens, from "0" to "1000000" with at most nine decimals, like "0.25".';
const limit = "must be a whole number from 0, which blocks, to 9007199254740991.";
const time = "give a date or a time in UTC, like 2026-12-01 or 2026-12-01T08:30:00Z.";

/** Template, as it is in the source, or a part of a sentence → sentences it is in. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  "There is no {n} {n}.": [
    "There is no upstream main.",
    "There is no model demo.",
    "There is no limits installation.",
  ],
  "The {n} {n} comes from the catalog file and is changed there.": [
    "The upstream main comes from the catalog file and is changed there.",
    "The model demo comes from the catalog file and is changed there.",
  ],
  "There is an {n} {n} already.": ["There is an upstream main already."],
  "There is a {n} {n} already.": ["There is a model demo already."],
  "A catalog has at most {n} {n}s. Remove some first.": [
    "A catalog has at most 500 upstreams. Remove some first.",
    "A catalog has at most 10000 models. Remove some first.",
  ],
  "The {n} {n} was removed meanwhile.": ["The upstream main was removed meanwhile."],

  "{n} takes {n} only.": ["/v1/chat/completions takes POST only."],
  "The body is {n} (at byte {n}); this installation does not accept that.": [
    "The body is nested deeper than 100 levels (at byte 7); this installation does not accept that.",
    "The body is made of more than 9 values (at byte 7); this installation does not accept that.",
  ],
  "'{n}' must be {n}, not {n}.": [
    "'messages' must be an array of messages, not string.",
    "'max_tokens' must be a number, not true.",
    "'stream_options' must be an object, not array.",
    "'model' must be a string, not number.",
    "'stream' must be true or false, not object.",
    "'models' must be an array of model ids, not false.",
  ],
  "The budget of this API key for the {n} is too low: this request needs at least {n} USD and {n} USD are left until {n}.":
    ["day", "month"].map(
      (period) =>
        `The budget of this API key for the ${period} is too low: this request needs at least 2 USD and 1 USD are left until 2026-12-01T00:00:00.000Z.`,
    ),
  "{n} is blocked: its limit is 0 {n}. Waiting does not help; ask the operator to raise it.": [
    "This API key is blocked: its limit is 0 requests a minute. Waiting does not help; ask the operator to raise it.",
    "This account is blocked: its limit is 0 tokens a minute. Waiting does not help; ask the operator to raise it.",
    "This model, by all its callers together, is blocked: its limit is 0 requests at once. Waiting does not help; ask the operator to raise it.",
    "This installation, by all its callers together, is blocked: its limit is 0 requests at once. Waiting does not help; ask the operator to raise it.",
  ],
  "{n} {n}, and the prompt of this request alone has about {n} tokens. Waiting does not help; send less, or ask the operator to raise the limit.":
    [
      `This API key may use 1 token a minute, and the prompt of this request alone has about 9 tokens. ${minute}`,
      `This model, by all its callers together, may be used for 5 tokens a minute, and the prompt of this request alone has about 9 tokens. ${minute}`,
    ],
  "{n} {n}, and that many are under way. Try again when one of them has ended.": [
    "This account may have 1 request at once, and that many are under way. Try again when one of them has ended.",
    "This installation, by all its callers together, may be sent 5 requests at once, and that many are under way. Try again when one of them has ended.",
  ],
  "{n} {n}, and {n}: the limit of {n} is reached. Try again in {n} s.": [
    "This API key may make 5 requests a minute, and that many were made: the limit of requests is reached. Try again in 1.2 s.",
    "This model, by all its callers together, may be sent 1 request a minute, and that many were made: the limit of requests is reached. Try again in 1.2 s.",
    "This account may use 5 tokens a minute, and this one may use 3: the limit of tokens is reached. Try again in 1.2 s.",
    "This model, by all its callers together, may be used for 5 tokens a minute, and this one may use 3: the limit of tokens is reached. Try again in 1.2 s.",
  ],

  "there is no {n}{n}; or give a base URL like http://127.0.0.1:8000/v1": [
    'There is no service "opnai"; did you mean "openai"? (services: openai, demo); or give a base URL like http://127.0.0.1:8000/v1.',
    "There is no such service (services: openai, demo); or give a base URL like http://127.0.0.1:8000/v1.",
  ],
  " to {n}": [
    'http://a.test/v1/models redirects to "http://b.test" (301), which is not followed: give the address it has moved to.',
  ],
  "{n} redirects{n} ({n}), which is not followed: give the address it has moved to": [
    "http://a.test/v1/models redirects (301), which is not followed: give the address it has moved to.",
  ],

  "is negative": [`"-1" is negative; ${usd}`],
  "has a sign": [`"+1" has a sign; ${usd}`],
  "has an exponent: write all digits": [`"1e3" has an exponent: write all digits; ${limit}`],
  "is a fraction": [`"1.5" is a fraction; ${limit}`],
  "has separators: write the digits alone": [`"1,000" has separators: write the digits alone; ${limit}`],
  "is beyond 2^53 - 1": [`"9007199254740993" is beyond 2^53 - 1; ${limit}`],
  "is not a number": [`"x" is not a number; ${usd}`],
  "{n}must be {n}{n}": [
    "Must be a whole number from 0, which blocks, to 9007199254740991, without quotes.",
    `"x" is not a number; ${limit}`,
  ],
  "is not written in decimal digits": [`"0x1" is not written in decimal digits; ${usd}`],
  "has an exponent": [`"1e3" has an exponent; ${usd}`],
  "has a currency or a word in it": [`"$1" has a currency or a word in it; ${usd}`],
  "has a comma instead of a point": [`"1,5" has a comma instead of a point; ${usd}`],
  "has more than nine decimals": [`"0.1234567891" has more than nine decimals; ${usd}`],
  "is more than {n}": [`"2000000" is more than 1000000; ${usd}`],
  "is not a price": [`"." is not a price; ${usd}`],
  "; give {n}": [`"soon" is not a time; ${time}`],
  "is not a time": [`"soon" is not a time; ${time}`],
  "is not from 2000 to 2099": [`"1999-01-01" is not from 2000 to 2099; ${time}`],
  "{n} {n}; give {n}": [`"soon" is not a time; ${time}`],
  "there is no key {n} here{n}": ['There is no key "prise" here; did you mean "price"? (keys: id, price).'],
  "must be a list of {n}": ["credentials", "deployments", "fallbacks", "tiers", "prices", "modalities"].map(
    (what) => `Must be a list of ${what}.`,
  ),
  "has {n} {n}; at most {n} are allowed": ["Has 101 credentials; at most 100 are allowed."],
  " (its variable is)": ["Is empty (its variable is); give the model's name at the upstream."],
  "is empty{n}; give {n}": ["Is empty; give a modality.", "Is empty; give an id."],
  "{n} is not an id: {n}": [
    '"?" is not an id: start with a letter or digit, then at most 127 letters, digits or . _ : / @ -.',
  ],
  "{n} is not allowed; ": ['"-1" is not allowed; must be a whole number from 0 to 1000000.'],
  "{n}must be a whole number from {n} to {n}{n}": ["Must be a whole number from 0 to 9, without quotes."],
  'preset "{n}"': ['Is missing; preset "openai" needs at least one.'],
  'provider "{n}"': ['Is missing; provider "openai" needs at least one.'],
  "{n} needs at least one": ['Is missing; provider "azure" needs at least one.'],

  "{n} must be a whole number from 0 to {n}": [
    "requestsPerMinute must be a whole number from 0 to 9007199254740991",
    "concurrency must be a whole number from 0 to 9007199254740991",
  ],
  "a {n} cannot be negative": ["a topup cannot be negative", "a refund cannot be negative"],
  "only {n} of account {n} can be taken away{n}": [
    "only 1 USD of account acc_1 can be taken away",
    "only 1 USD of account acc_1 can be taken away; 2 USD are lent to running servers",
  ],
  "reference {n} of account {n} stands for another entry ({n}, {n}{n})": [
    "reference a of account acc_1 stands for another entry (topup, 5 USD)",
    "reference a of account acc_1 stands for another entry (topup, 5 USD, expires 2026-12-01T00:00:00.000Z)",
  ],
  "the request has {n} {n} entries": ["the request has 2 charge entries"],
  "account {n} has the {n} of a request that is not there": [
    "account acc_1 has the operator_loss of a request that is not there",
  ],
  "account {n} has the {n} of a request account {n} made": [
    "account acc_1 has the charge of a request account acc_2 made",
  ],
  "the request says {n} {n} USD, the ledger {n} USD": [
    "the request says charge 2 USD, the ledger 1 USD",
    "the request says loss 2 USD, the ledger 1 USD",
  ],
};

/** What looks like a sentence and is told to nobody in the console. */
export const notSaid: ReadonlySet<string> = new Set([
  // The root of the data plane, for somebody with a browser.
  "This is Plaza, a model gateway.",
  "Point an OpenAI client at base_url = {this address}/v1 and send your key as a bearer token.",
  "GET /v1/models lists the models your key may use.",
  // For models.
  "Answer with one JSON object only: no words before or after it, no code fence.",
  "Gives the answer. Call it exactly once, with the whole answer.",
  // Faults of ours, which are told as internal errors.
  "an offset could not be read: {n}",
  "upstream {n}: {n}",
  // A file may have a number where a text belongs; a schema of the API refuses it.
  "write the price, so that no digit is lost{n}",
]);
