# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of language models, by the vocabulary and the chat template that a bundle carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, overload

from . import _ttrt
from ._bundle import Bundle


class TextStream:
    """Makes text of tokens as they come. `Tokenizer.stream()` makes one."""

    __slots__ = ("_stream",)

    def __init__(self, stream: _ttrt.TextStream) -> None:
        self._stream = stream

    def push(self, token: int) -> str:
        """Adds a token, and returns the characters that are complete with it.

        Raises:
            InvalidArgumentError: the vocabulary does not have the token.
        """
        return self._stream.push(token)

    def finish(self) -> str:
        """Ends the text, and returns U+FFFD for a character that is incomplete. The next token begins
        another text."""
        return self._stream.finish()


class Tokenizer:
    """The tokenizer and the chat template of a bundle. It can be used when the bundle has been closed,
    and by any number of threads.

    Raises:
        NotFoundError: the bundle has no tokenizer.
        UnsupportedError: it has one that this library lacks.
        BadBundleError: the tokenizer is damaged.
    """

    #: The tokens at the beginning and at the end of a text; None: there is none.
    bos: int | None
    eos: int | None
    #: Tokens that end an answer, in ascending order.
    stop_tokens: list[int]
    #: Whether the bundle has a chat template.
    has_chat_template: bool

    def __init__(self, bundle: Bundle) -> None:
        if not isinstance(bundle, Bundle):
            raise TypeError(f"expected a Bundle, found {type(bundle).__name__}")
        self._text = _ttrt.Text(bundle._device)
        self._tokens, bos, eos, self.stop_tokens, self.has_chat_template = self._text.info()
        self.bos = None if bos < 0 else bos
        self.eos = None if eos < 0 else eos

    def __len__(self) -> int:
        """The number of tokens."""
        return self._tokens

    def encode(self, text: str, *, control: bool = False, bos: bool = True) -> list[int]:
        """Returns the tokens of a text.

        Args:
            control: names of control tokens, such as ``<|im_end|>``, become these tokens. Otherwise
                they are text like any other.
            bos: begins with the token `bos`, if the vocabulary adds it.
        """
        return self._text.encode(text, control, bos)

    def decode(self, tokens: Iterable[int], *, control: bool = False) -> str:
        """Returns the text of tokens; bytes that are not UTF-8 become U+FFFD.

        Args:
            control: control tokens give their names. Otherwise they give nothing.

        Raises:
            InvalidArgumentError: the vocabulary does not have a token.
        """
        return self._text.decode(tokens, control)

    def stream(self, *, control: bool = False) -> TextStream:
        """Returns what makes text of tokens one by one, without splitting a character."""
        return TextStream(_ttrt.TextStream(self._text, control))

    @overload
    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Any] | None = ...,
        add_generation_prompt: bool = ...,
        tokenize: Literal[True] = ...,
        **variables: Any,
    ) -> list[int]: ...

    @overload
    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Any] | None = ...,
        add_generation_prompt: bool = ...,
        tokenize: Literal[False],
        **variables: Any,
    ) -> str: ...

    def apply_chat_template(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Any] | None = None,
        add_generation_prompt: bool = True,
        tokenize: bool = True,
        **variables: Any,
    ) -> list[int] | str:
        """Returns the tokens of the prompt that messages make.

        Names of control tokens in messages and tools remain text, so no message can end itself.

        Args:
            messages: dictionaries, usually with ``"role"`` and ``"content"``.
            tools: what the template sees as ``tools``.
            add_generation_prompt: ends with what begins an answer.
            tokenize: False returns text, to be read.
            variables: further names that the template sees.

        Raises:
            NotFoundError: the bundle has no chat template.
            BadBundleError: the template is damaged, or uses what this library lacks.
            FailedError: the template refuses the messages.
            TypeError, ValueError: JSON cannot describe the messages.
        """
        from json import dumps

        arguments = (
            dumps(messages),
            None if tools is None else dumps(tools),
            dumps(variables) if variables else None,
            add_generation_prompt,
        )
        return self._text.chat(*arguments) if tokenize else self._text.chat_text(*arguments)

    def __repr__(self) -> str:
        return f"<ttrt.Tokenizer: {self._tokens} tokens{'' if self.has_chat_template else ', no chat template'}>"
