"""Makes legacy completions with Python's openai, unmodified, whole and streamed, and says what came.

Reads {"baseUrl", "key", "model"} on standard input and prints one JSON object. See ../completions.test.ts.
"""

import json
import sys

import openai

asked = json.load(sys.stdin)
client = openai.OpenAI(base_url=asked["baseUrl"], api_key=asked["key"], max_retries=0, timeout=20)
ask = {"model": asked["model"], "prompt": ["Once", "upon"], "n": 2, "max_tokens": 5, "echo": True}

whole = client.completions.create(**ask)
texts = {}
usage = None
for chunk in client.completions.create(**ask, stream=True, stream_options={"include_usage": True}):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        texts[choice.index] = texts.get(choice.index, "") + choice.text
try:
    client.completions.create(model=asked["model"], prompt={"no": "prompt"})
    refusal = None
except openai.BadRequestError as error:
    refusal = {"param": error.param, "code": error.code}

json.dump(
    {
        "object": whole.object,
        "texts": [choice.text for choice in whole.choices],
        "finish": [choice.finish_reason for choice in whole.choices],
        "usage": whole.usage.model_dump(include={"prompt_tokens", "completion_tokens", "total_tokens"}),
        "streamed": [texts[index] for index in sorted(texts)],
        "streamedUsage": usage.model_dump(include={"prompt_tokens", "completion_tokens", "total_tokens"}),
        "refusal": refusal,
    },
    sys.stdout,
)
