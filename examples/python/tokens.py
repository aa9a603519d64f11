# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tokens of a chat's prompt, and their text as it comes: tokens.py MODEL.ttcb
MODEL.ttcb is made of a GGUF file (docs/generation.md)."""
import sys

import ttrt

with ttrt.load(sys.argv[1], verify="structure") as bundle:
    tokenizer = ttrt.Tokenizer(bundle)
prompt = tokenizer.apply_chat_template([{"role": "user", "content": "Why is the sky blue?"}])
stream = tokenizer.stream(control=True)
print([(token, stream.push(token)) for token in prompt], stream.finish())
print("an answer ends with one of", tokenizer.stop_tokens)
