import ctypes
import subprocess
import sys

import pytest

OBJECTS = """
import gc
from scalewatch.web.process import YOUNG, spare_collections

loaded = [[] for _ in range(1_000)]
spare_collections()
of_today = {id(each) for each in gc.get_objects()}
print(sum(id(each) in of_today for each in loaded), gc.get_freeze_count() >= 1_000)
begun = gc.get_stats()[0]["collections"]
kept = [[] for _ in range(5 * YOUNG)]
print(gc.get_stats()[0]["collections"] - begun)
"""


def test_the_collector_passes_over_what_is_loaded_and_comes_once_in_ten_thousand():
    command = [sys.executable, "-c", OBJECTS]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    loaded, collections = done.stdout.splitlines()
    assert loaded == "0 True"
    assert 4 <= int(collections) <= 6


FREED = """
import ctypes, sys, time
from scalewatch.web import process

def resident():
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1])

answer = [b"x" * (2_000 + number % 7) for number in range(50_000)]
last, full = answer[-1], resident()
process.TRIM_SECONDS = 0.01
if sys.argv[1] == "trimmed":
    process.give_memory_back()
del answer
until = time.monotonic() + (60 if sys.argv[1] == "trimmed" else 0)
while (now := resident()) > full / 2 and time.monotonic() < until:
    time.sleep(0.01)
print(now <= full / 2)
"""
"""Frees a wide answer but the last part of it, above which nothing is free."""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="of the allocator of GNU"
)
@pytest.mark.parametrize(
    ("case", "given_back"), [("kept", "False"), ("trimmed", "True")]
)
def test_memory_of_a_wide_answer_is_given_back(case, given_back):
    command = [sys.executable, "-c", FREED, case]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == given_back
