"""Answers prompts with a GGUF model: `python bench/_answer_child.py MODEL THREADS ROOM`, lines of JSON in and out.

Runs in an environment with `xllamacpp` alone; started by `bench/answers.py`.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    # The library writes its log to both; answers go where the parent listens.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.n_ctx, params.n_predict, params.n_parallel = int(sys.argv[3]), 40, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[2])
    params.sampling.temp = 0.0
    params.warmup = False
    server = xllamacpp.Server(params)
    for line in sys.stdin:
        document = json.loads(line)
        overrides = {
            "messages": [{"role": "user", "content": document["prompt"]}],
            "temperature": 0,
            "max_tokens": 40,
        }
        result = server.handle_chat_completions(overrides)
        result = json.loads(result) if isinstance(result, str | bytes) else result
        said = result["choices"][0]["message"]["content"] if "choices" in result else f"ERROR {result}"
        reply = {
            "number": document["number"],
            "answer": said,
            "prompt_tokens": result.get("usage", {}).get("prompt_tokens"),
        }
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
    os._exit(0)
