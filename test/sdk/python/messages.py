"""Calls Messages with Python's anthropic, unmodified, and says what came.

Reads {"origin", "key", "models"} on standard input and prints one JSON object. See ../anthropic.test.ts.
"""

import json
import sys

import anthropic

asked = json.load(sys.stdin)


def client_with(key):
    return anthropic.Anthropic(base_url=asked["origin"], api_key=key, max_retries=0, timeout=20)


client = client_with(asked["key"])
messages = [{"role": "user", "content": "Say it."}]
whole = []
streamed = []
for model in asked["models"]:
    ask = {"model": model, "max_tokens": 100, "messages": messages}
    message = client.messages.create(**ask)
    whole.append([message.content[0].text, message.stop_reason, message.usage.input_tokens > 0])
    with client.messages.stream(**ask) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    streamed.append([text, final.content[0].text, final.stop_reason, final.usage.output_tokens > 0])

counted = client.messages.count_tokens(model=asked["models"][0], messages=messages)


def error_of(call):
    try:
        call()
    except anthropic.APIStatusError as error:
        return type(error).__name__
    return None


ask = {"model": asked["models"][0], "max_tokens": 100, "messages": messages}
errors = [
    error_of(lambda: client_with("sk-plaza-wrong").messages.create(**ask)),
    error_of(lambda: client.messages.create(**{**ask, "model": "none"})),
    error_of(lambda: client.messages.create(**{**ask, "messages": []})),
]

json.dump(
    {
        "whole": whole,
        "streamed": streamed,
        "counted": counted.input_tokens,
        "models": sorted(model.id for model in client.models.list(limit=2)),
        "errors": errors,
    },
    sys.stdout,
)
