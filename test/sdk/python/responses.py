"""Calls /v1/responses and what is stored of it with Python's openai, unmodified, and says what came.

Reads {"baseUrl", "key", "model", "tools"} on standard input and prints one JSON object. See
../responses.test.ts.
"""

import json
import sys

import openai
import pydantic

asked = json.load(sys.stdin)
client = openai.OpenAI(base_url=asked["baseUrl"], api_key=asked["key"], max_retries=0, timeout=20)
responses = client.responses
model = asked["model"]


class Place(pydantic.BaseModel):
    city: str


created = responses.create(model=model, input="Hi")
streamed = ""
ended = None
for event in responses.create(model=model, input="Hi", stream=True):
    ended = event.type
    if event.type == "response.output_text.delta":
        streamed += event.delta
with responses.stream(model=model, input="Weather?", tools=asked["tools"]) as stream:
    for event in stream:
        pass
    first = stream.get_final_response()
call = first.output[0]
answered = responses.create(
    model=model,
    input=[{"type": "function_call_output", "call_id": call.call_id, "output": "rain"}],
    previous_response_id=first.id,
    tools=asked["tools"],
)
parsed = responses.parse(model=model, input="Where?", text_format=Place)
retrieved = responses.retrieve(created.id)
items = [item.content for item in responses.input_items.list(created.id)]
responses.delete(created.id)
try:
    responses.retrieve(created.id)
    gone = None
except openai.APIStatusError as error:
    gone = [type(error).__name__, error.code]

json.dump(
    {
        "created": [
            created.output_text,
            created.usage.input_tokens,
            created.usage.output_tokens_details.reasoning_tokens,
        ],
        "streamed": streamed,
        "ended": ended,
        "call": [call.call_id, call.name, json.loads(call.arguments)],
        "answered": answered.output_text,
        "parsed": parsed.output_parsed.model_dump(),
        "retrieved": retrieved.output_text,
        "items": items,
        "gone": gone,
    },
    sys.stdout,
)
