"""pydantic-ai with the model class of each wire: an agent with one tool, streamed."""

import asyncio

from pydantic_ai import Agent
from shell import API_KEY, BASE_URL, MODEL, PROMPT, VARIANT, bash


def model():
    if VARIANT == "messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(MODEL, provider=AnthropicProvider(api_key=API_KEY, base_url=BASE_URL))
    if VARIANT == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(MODEL, provider=GoogleProvider(api_key=API_KEY, base_url=BASE_URL))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    kind = OpenAIResponsesModel if VARIANT == "responses" else OpenAIChatModel
    return kind(MODEL, provider=OpenAIProvider(base_url=BASE_URL, api_key=API_KEY))


async def streamed(_context, events) -> None:
    async for _ in events:
        pass


async def run() -> None:
    result = await Agent(model(), tools=[bash]).run(PROMPT, event_stream_handler=streamed)
    print(result.output)


asyncio.run(run())
