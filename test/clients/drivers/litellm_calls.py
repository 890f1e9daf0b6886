"""LiteLLM as a library: chat completions, Responses and Anthropic's Messages, streamed where it aggregates."""

import asyncio
import json

import litellm
from shell import API_KEY, BASE_URL, DESCRIPTION, MODEL, PROMPT, SCHEMA, TURNS_MAX, VARIANT, bash

litellm.telemetry = False
to = {"api_base": BASE_URL, "api_key": API_KEY, "num_retries": 0}


def chat() -> str:
    messages = [{"role": "user", "content": PROMPT}]
    tools = [{"type": "function", "function": {"name": "bash", "description": DESCRIPTION, "parameters": SCHEMA}}]
    for _ in range(TURNS_MAX):
        chunks = list(
            litellm.completion(model=f"openai/{MODEL}", messages=messages, tools=tools, stream=True, **to)
        )
        message = litellm.stream_chunk_builder(chunks, messages=messages).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for call in message.tool_calls:
            output = bash(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
    raise RuntimeError("it never ends")


def responses() -> str:
    items = [{"role": "user", "content": PROMPT}]
    tools = [{"type": "function", "name": "bash", "description": DESCRIPTION, "parameters": SCHEMA}]
    for _ in range(TURNS_MAX):
        response = litellm.responses(
            model=f"openai/{MODEL}",
            input=items,
            tools=tools,
            store=False,
            include=["reasoning.encrypted_content"],
            **to,
        )
        output = [item if isinstance(item, dict) else item.model_dump(exclude_none=True) for item in response.output]
        items += output
        calls = [item for item in output if item["type"] == "function_call"]
        if not calls:
            return output[-1]["content"][0]["text"]
        for call in calls:
            result = bash(**json.loads(call["arguments"]))
            items.append({"type": "function_call_output", "call_id": call["call_id"], "output": result})
    raise RuntimeError("it never ends")


async def messages() -> str:
    turns = [{"role": "user", "content": PROMPT}]
    tools = [{"name": "bash", "description": DESCRIPTION, "input_schema": SCHEMA}]
    for _ in range(TURNS_MAX):
        answer = await litellm.anthropic.messages.acreate(
            model=f"anthropic/{MODEL}", max_tokens=4096, messages=turns, tools=tools, **to
        )
        content = answer["content"]
        turns.append({"role": "assistant", "content": content})
        calls = [block for block in content if block["type"] == "tool_use"]
        if not calls:
            return content[-1]["text"]
        results = [
            {"type": "tool_result", "tool_use_id": call["id"], "content": bash(**call["input"])} for call in calls
        ]
        turns.append({"role": "user", "content": results})
    raise RuntimeError("it never ends")


print(chat() if VARIANT == "chat" else responses() if VARIANT == "responses" else asyncio.run(messages()))
