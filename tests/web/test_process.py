import subprocess
import sys

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
