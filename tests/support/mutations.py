"""Files in which something was changed, as disks, jobs and people do."""

from random import Random

# What breaks parsers, beside random bytes.
TOKENS = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800", b"nan", b"-inf", b"1e999",
    b"9" * 400, b"[" * 5000, b'"', b"'", b"(", b")", b"{", b"}", b"]", b",", b";",
    b"\t", b"\r", b"\n", b"\x1b[31m", b"#", b"null", b"true", b"{}", b"[]", b"\n\n",
    b"DATA", b"POINTS", b"0", b"-1", b"|", b"=", b":", b"*", b"%", b"1" * 5000,
]  # fmt: skip


def mutant(content: bytes, draw: Random) -> bytes:
    """Return a file in which some places hold something else."""
    mutable = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 6))):
        start = draw.randint(0, len(mutable))
        end = min(len(mutable), start + draw.choice((0, 1, 3, 12, 200)))
        mutable[start:end] = draw.choice((*TOKENS, draw.randbytes(3), mutable[:40]))
    return bytes(mutable)


def torn(content: bytes, draw: Random) -> bytes:
    """Return a file that is cut, or in which a part is lost, doubled or moved."""
    start, end = sorted(draw.randint(0, len(content)) for _ in range(2))
    return draw.choice(
        (
            content[:start],
            content[start:],
            content[:start] + content[end:],
            content[:end] + content[start:],
            content[start:end] + content[:start] + content[end:],
        )
    )
