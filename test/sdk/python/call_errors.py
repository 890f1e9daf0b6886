"""Calls an endpoint with Python's SDKs, unmodified, and says what each made of the refusal.

Reads one JSON list of cases on standard input, {"sdk", "baseUrl", "key", "model", "isStream", "prompt"?}, and prints one JSON
list in the same order: the exception's class, status and message. See ../python-calls.ts.
"""

import concurrent.futures
import functools
import json
import logging
import os
import sys

# LiteLLM fetches a table of prices when it is imported, LangChain sends traces: neither may leave this machine.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LANGSMITH_TRACING"] = "false"

TIMEOUT_SECONDS = 60
RETRIES = 1


@functools.cache
def http_client():
    """One for all calls: each new one reads all certificates of the system."""
    import openai

    return openai.DefaultHttpxClient()


def call_openai(case, messages):
    import openai

    client = openai.OpenAI(
        base_url=case["baseUrl"],
        api_key=case["key"],
        max_retries=RETRIES,
        timeout=TIMEOUT_SECONDS,
        http_client=http_client(),
    )
    return client.chat.completions.create(
        model=case["model"], messages=messages, stream=case["isStream"]
    )


def call_litellm(case, messages):
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.client_session = http_client()
    return litellm.completion(
        model="openai/" + case["model"],
        api_base=case["baseUrl"],
        api_key=case["key"],
        messages=messages,
        stream=case["isStream"],
        max_retries=RETRIES,
        timeout=TIMEOUT_SECONDS,
    )


def call_langchain(case, messages):
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model=case["model"],
        base_url=case["baseUrl"],
        api_key=case["key"],
        max_retries=RETRIES,
        timeout=TIMEOUT_SECONDS,
        use_responses_api=False,
        http_client=http_client(),
    )
    return model.stream(messages) if case["isStream"] else model.invoke(messages)


CALLS = {"openai": call_openai, "litellm": call_litellm, "langchain": call_langchain}


def run(case):
    messages = [{"role": "user", "content": case.get("prompt", "Hello, Plaza!")}]
    try:
        answer = CALLS[case["sdk"]](case, messages)
        if case["isStream"]:
            for _ in answer:
                pass
    except Exception as error:
        return {
            "class": type(error).__name__,
            "status": getattr(error, "status_code", None),
            "message": str(error),
        }
    return {"class": None, "status": None, "message": "no error"}


cases = json.load(sys.stdin)
logging.disable(logging.CRITICAL)
outcomes = {}
# The first call of an SDK imports it, which is not done by several threads at once.
for index, case in enumerate(cases):
    if case["sdk"] not in [cases[known]["sdk"] for known in outcomes]:
        outcomes[index] = run(case)
rest = [index for index in range(len(cases)) if index not in outcomes]
with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
    outcomes.update(zip(rest, pool.map(lambda index: run(cases[index]), rest)))
json.dump([outcomes[index] for index in range(len(cases))], sys.stdout)
