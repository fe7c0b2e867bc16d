"""Requests to a chat-completions endpoint, sent again where that may help."""

from __future__ import annotations

import base64
import http.client
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourdcb.errors import UserError
from fourdcb.evaluation.runners.governor import EndpointGovernor

_MOST_BYTES = 8 << 20  # of one answer
_MOST_AT_ONCE = 64  # requests of all processes together; what the endpoint takes is found below that
_OVERLOADED = (429, 503)  # statuses that say "too many at once"
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0


class ChatEndpoint:
    """One endpoint.

    Args:
        url: ``…/chat/completions``, or the address before that.
        key: sent as a bearer token when there is one.
        timeout_s: of one request.
        retries: how often it is sent again.

    However many processes ask, the endpoint gets no more requests at a time than it was found to take.
    """

    def __init__(self, url: str, *, key: str | None, timeout_s: float, retries: int) -> None:
        self._url = (
            url if url.rstrip("/").endswith("/chat/completions") else url.rstrip("/") + "/chat/completions"
        )
        self._key, self._timeout_s, self._retries = key, timeout_s, retries
        self._governor = EndpointGovernor(self._url, most=_MOST_AT_ONCE)

    def complete(
        self, messages: Sequence[dict[str, Any]], *, model: str, temperature: float, max_tokens: int | None
    ) -> str:
        """The text of the answer.

        429, 5xx, broken connections, time-outs and answers that are no completion are tried again, each
        time after a longer wait, or after the one that the endpoint asks for; nobody holds a slot meanwhile.

        Raises:
            UserError: the endpoint refuses the request, or still fails after all retries.
        """
        body: dict[str, Any] = {"model": model, "messages": list(messages), "temperature": temperature}
        if max_tokens is not None:
            body["max_tokens"] = max_tokens
        data = json.dumps(body).encode()
        for attempt in range(self._retries + 1):
            try:
                return _content(self._governed(data))
            except _Retry as trouble:
                if attempt == self._retries:
                    raise UserError(
                        "the endpoint does not answer",
                        where=self._url,
                        got=f"{trouble} (asked {attempt + 1} times)",
                    ) from trouble
                time.sleep(_wait_s(attempt, trouble.after_s))
        raise AssertionError("unreachable")

    def _governed(self, data: bytes) -> bytes:
        with self._governor.slot() as asked_at:
            try:
                body = self._post(data)
            except _Retry as trouble:
                if trouble.overloaded:
                    wait_s = None if trouble.after_s is None else min(trouble.after_s, _LONGEST_WAIT_S)
                    self._governor.refused(asked_at, wait_s=wait_s)
                raise
        self._governor.answered()
        return body

    def _post(self, data: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        asked = urllib.request.Request(self._url, data=data, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(asked, timeout=self._timeout_s) as answer:
                body = answer.read(_MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            if error.code == 429 or error.code >= 500:
                raise _Retry(
                    f"status {error.code}",
                    after_s=_seconds(error.headers.get("Retry-After")),
                    overloaded=error.code in _OVERLOADED,
                ) from error
            told = error.read(500).decode(errors="replace")
            raise UserError(
                "the endpoint refuses the request", where=self._url, got=f"status {error.code}: {told}"
            ) from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            raise _Retry(f"{type(error).__name__}: {getattr(error, 'reason', error)}") from error
        except ValueError as error:
            raise UserError("this is no address of an endpoint", got=self._url) from error
        if len(body) > _MOST_BYTES:
            raise _Retry(f"an answer of more than {_MOST_BYTES} bytes")
        return bytes(body)


class _Retry(Exception):
    """Something that another try may mend."""

    def __init__(self, what: str, *, after_s: float | None = None, overloaded: bool = False) -> None:
        super().__init__(what)
        self.after_s, self.overloaded = after_s, overloaded


def _wait_s(attempt: int, asked: float | None) -> float:
    if asked is not None:
        return min(asked, _LONGEST_WAIT_S)
    longest = min(_FIRST_WAIT_S * 2**attempt, _LONGEST_WAIT_S)
    return random.uniform(longest / 2, longest)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else max(0.0, float(header))
    except ValueError:  # a date; our own wait will do
        return None


def _content(body: bytes) -> str:
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise _Retry(f"an answer that is no completion: {body[:80]!r}") from error
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if not isinstance(content, str) or not content.strip():
        raise _Retry("an empty answer")
    return content


def text_part(text: str) -> dict[str, Any]:
    """Text within a message."""
    return {"type": "text", "text": text}


def picture_part(picture: NDArray[np.uint8]) -> dict[str, Any]:
    """An sRGB picture, shape (H, W, 3), within a message, as PNG."""
    import cv2

    good, data = cv2.imencode(".png", picture[..., ::-1])
    assert good
    url = "data:image/png;base64," + base64.b64encode(data.tobytes()).decode()
    return {"type": "image_url", "image_url": {"url": url}}
