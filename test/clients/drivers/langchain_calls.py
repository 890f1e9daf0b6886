"""LangChain for Python, over chat completions or Responses, streamed."""

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from shell import API_KEY, BASE_URL, MODEL, PROMPT, TURNS_MAX, VARIANT, bash

client = ChatOpenAI(
    model=MODEL,
    base_url=BASE_URL,
    api_key=API_KEY,
    max_retries=0,
    use_responses_api=VARIANT == "responses",
    **({"store": False, "include": ["reasoning.encrypted_content"]} if VARIANT == "responses" else {}),
).bind_tools([tool("bash")(bash)])


def run() -> str:
    messages = [HumanMessage(PROMPT)]
    for _ in range(TURNS_MAX):
        answer = None
        for chunk in client.stream(messages):
            answer = chunk if answer is None else answer + chunk
        messages.append(answer)
        if not answer.tool_calls:
            return answer.text
        for call in answer.tool_calls:
            messages.append(ToolMessage(bash(**call["args"]), tool_call_id=call["id"]))
    raise RuntimeError("it never ends")


print(run())
