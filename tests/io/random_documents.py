"""Random documents of N-Triples and N-Quads, mostly almost right."""

from __future__ import annotations

from hypothesis import strategies as st

IRIS = st.sampled_from(
    [
        *("<http://e/a>", "<a:>", "<urn:x:y#z>", "<http://e:80/p?q=1&r#f>", "<a://b>", "<a:/b//c>", "<x-1+.:y>"),
        *("<http://e/%41>", "<http://e/é>", "<http://e/\\u00e9>", "<http://[::1]/>", "<a://u@b/>", "<a:?b?c:d@e>"),
        *("<a>", "<>", "<http://e/%zz>", "<http://e:8a/>", "<a:b c>", "<a:b<c>", "<a:b#c#d>", "<1:b>", "<a://b@c@d/>"),
        *("<http://e/\\u0020>", "<http://e/\\x>", "<a:\ue000>", "<a:'()*!$,;=~|>", "<é:a>", "<a:b", "a:b>", "<a:\x7f>"),
    ]
)
BLANKS = st.sampled_from(
    ["_:a", "_:0", "_:a.b", "_:a-", "_:a_B9", "_:é", "_:a.", "_:-a", "_:", "_:a:b", "_:a..b", "_:.a", "_:a·", "_:_"]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters='"\\\n\r'), max_size=6),
    st.lists(
        st.sampled_from(
            [
                *("a", " ", "é", "\\n", '\\"', "\\\\", "\\u0041", "\\U0001F600", "\\t", "\\'", "\\b", "\\f"),
                *("\\r", " .", "#"),
                *("\\x", "\\u12", "\\ud800", "\\U00110000", "\\U7fffffff", '"', "\\", "\t", "<a:b>", "@en", "\x00"),
            ]
        ),
        max_size=4,
    ).map("".join),
)
SUFFIXES = st.sampled_from(
    [
        *("", "", "", "@en", "@en-GB", "@EN-gb", "@de-CH-1996", "@x-private", "^^<http://www.w3.org/2001/XMLSchema#int>"),
        *("^^<http://www.w3.org/2001/XMLSchema#string>", "^^<a:\\u0041>", " @en", "^^ <a:b>", "@en--ltr"),
        *("@", "@e_n", "@en-", "@en-a", "@abcdefghi", "^^", "^^<a>", "^^_:a", "^^<a:b", "@en@en", '"', "^<a:b>"),
        "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
    ]
)
LITERALS = st.builds(lambda text, suffix: f'"{text}"{suffix}', TEXTS, SUFFIXES)
OTHERS = st.sampled_from(
    ["<<( <a:a> <a:b> <a:c> )>>", "<< _:a <a:b> 1 >>", "a", "12", "'x'", '"""x"""', "true", "[]", "# no term"]
)
TERMS = st.one_of(IRIS, BLANKS, LITERALS, OTHERS)
SPACES = st.sampled_from([" "] * 12 + ["", "  ", "\t", " \t", "\x0b", "\r", "\xa0"])
ENDS = st.sampled_from(
    ["\n"] * 10 + ["\r\n", "\r\n", "\r", "", " # comment\n", "\n\n", "\t\n", " \r\n", ".\n", "\x00\n"]
)
BYTES = st.sampled_from([b"", b"\xff", b"\xc3", b'"', b"<", b">", b"\\", b"\n", b"\r", b" ", b"_", b"\0"])
GOOD_LINES = st.sampled_from(
    [
        "<a:s> <a:p> <a:o> .\n",
        '_:b <a:p> "text"@en .\r\n',
        '<a:s> <a:p> "1"^^<http://www.w3.org/2001/XMLSchema#int> .\n',
        "# a comment\n",
        "\n",
        '<a:s>\t<a:p>\t"a\\nb"\t.\n',
        "<a:s> <a:p> <a:o>.\n",
        '<a:s> <a:p> "a <b> . " . # end\n',
    ]
)


@st.composite
def lines(draw: st.DrawFn, quads: bool) -> str:
    """A line of three terms and sometimes a fourth, each perhaps wrong."""
    terms = [draw(IRIS | BLANKS), draw(IRIS), draw(TERMS)]
    if draw(st.integers(0, 9)) < (5 if quads else 1):
        terms.append(draw(IRIS | BLANKS))
    text = "".join(term + draw(SPACES) for term in terms)
    return text + draw(st.sampled_from(["."] * 12 + ["", "..", " .", ". <a:a> <a:b> <a:c> ."])) + draw(ENDS)


@st.composite
def documents(draw: st.DrawFn, quads: bool) -> bytes:
    """Some lines, as bytes that perhaps were damaged."""
    text = "".join(draw(st.lists(GOOD_LINES | lines(quads), min_size=1, max_size=5)))
    data = draw(st.sampled_from([b""] * 8 + [b"\xef\xbb\xbf"])) + text.encode()
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 1, 2]))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.integers(0, 2))
        data = data[:at] + draw(BYTES) + data[at + gone :]
    return data
