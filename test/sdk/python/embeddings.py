"""Embeds texts and token numbers with Python's openai, unmodified, and says what came.

Reads {"baseUrl", "key", "model"} on standard input and prints one JSON object. See ../embeddings.test.ts.
"""

import json
import sys

import openai

asked = json.load(sys.stdin)
client = openai.OpenAI(base_url=asked["baseUrl"], api_key=asked["key"], max_retries=0, timeout=20)
ask = {"model": asked["model"], "input": ["a red cat", "a blue dog"], "dimensions": 8}

unasked = client.embeddings.create(**ask)
floats = client.embeddings.create(**ask, encoding_format="float")
numbers = client.embeddings.create(model=asked["model"], input=[[1, 2], [3]])
try:
    client.embeddings.create(model=asked["model"], input="a", dimensions=0)
    refusal = None
except openai.BadRequestError as error:
    refusal = {"param": error.param, "code": error.code}

json.dump(
    {
        "unasked": [list(one.embedding) for one in unasked.data],
        "floats": [one.embedding for one in floats.data],
        "tokens": numbers.usage.prompt_tokens,
        "refusal": refusal,
    },
    sys.stdout,
)
