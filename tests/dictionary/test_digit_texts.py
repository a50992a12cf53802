"""Would catch a digit that counts for another place, a sign or a letter that is taken for a digit, a text that is read
beyond its end: where long and short texts lie side by side in one column of bytes."""

import re

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.dictionary.digit_texts import MOST_DIGITS, numbers_of_digits

_DIGITS = st.text("0123456789", max_size=MOST_DIGITS + 2)
_TEXTS = st.lists(_DIGITS | _DIGITS | st.text("09/:-+ \x80\xff", max_size=10), min_size=1, max_size=20)


@given(_TEXTS)
@example(["9" * MOST_DIGITS, "9" * 8, "9" * 9, "0", "", "9" * (MOST_DIGITS + 1), "12345678x", "x", "1\x8a", "\xff1"])
def test_numbers_are_those_of_python(texts: list[str]) -> None:
    encoded = [text.encode("latin-1") for text in texts]
    ends = np.cumsum([len(text) for text in encoded])
    lengths = np.diff(ends, prepend=0)
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)

    numbers, are_digits = numbers_of_digits(data, ends - lengths, lengths)

    expected = [re.fullmatch(f"[0-9]{{1,{MOST_DIGITS}}}", text) is not None for text in texts]
    assert are_digits.tolist() == expected
    assert [*numbers[are_digits]] == [int(text) for text, known in zip(texts, expected, strict=True) if known]
