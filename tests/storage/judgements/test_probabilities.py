"""How probable growths and verdicts are: the blob that holds them."""

from scalewatch.storage.judgements.probabilities import Likely, decode, encode

KNOWN = {
    1: Likely('{"p":0.9,"1":0.1}', '{"match":0.75}', 5),
    11: Likely('{"p":1.0}'),
    2: Likely(),
}


def test_a_blob_tells_of_some_series_what_it_tells_of_all():
    blob = encode(KNOWN)

    assert decode(blob) == KNOWN
    assert decode(blob, {1, 3}) == {1: KNOWN[1]}
    assert decode(blob, set()) == {}
