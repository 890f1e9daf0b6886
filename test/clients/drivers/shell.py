"""What the Python programs of this folder share: where to call, and the one tool they offer, a shell."""

import os
import subprocess
import sys

VARIANT = sys.argv[1]
BASE_URL = os.environ["BASE_URL"]
API_KEY = os.environ["API_KEY"]
MODEL = os.environ["MODEL"]
PROMPT = os.environ["PROMPT"]
TURNS_MAX = 8

DESCRIPTION = "Runs a command with bash and gives what it prints."
SCHEMA = {
    "type": "object",
    "properties": {"command": {"type": "string", "description": "The command."}},
    "required": ["command"],
    "additionalProperties": False,
}


def bash(command: str) -> str:
    """Runs a command with bash and gives what it prints."""
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, text=True, check=True)
    return done.stdout or "(no output)"
