import subprocess
import sys

from scalewatch_agent.memory.footprint import footprint_in, growth

HEAP = """\
55d1-55d2 rw-p 00000000 00:00 0      [heap]
Size:                200 kB
Rss:                 {0} kB
Pss:                 {0} kB
Private_Dirty:       {0} kB
Anonymous:           {0} kB
VmFlags: rd wr mr mw me ac sd
"""
LIBRARY = """\
7f01-7f02 r-xp 00000000 00:00 12     /opt/my mpi/libmpi.so
Rss:                 {resident} kB
Pss:                 {proportional} kB
Anonymous:             0 kB
"""


def read(text):
    return footprint_in(text.splitlines(keepends=True))


def test_anonymous_and_shared_pages_stand_apart():
    before = read(HEAP.format(40))

    after = read(HEAP.format(100) + LIBRARY.format(resident=80, proportional=20))

    assert growth(before, after).anonymous == 60 * 1024
    assert growth(before, after).shared == 20 * 1024
    assert growth(before, after).total == 80 * 1024


def test_processes_that_come_up_meanwhile_do_not_make_memory_disappear():
    # The same pages, alone before and shared by four processes now.
    before = read(LIBRARY.format(resident=80, proportional=80))

    after = read(LIBRARY.format(resident=80, proportional=20))

    assert growth(before, after).shared == 0


def test_new_pages_of_a_file_count_at_their_share_in_the_end():
    before = read(LIBRARY.format(resident=40, proportional=40))

    after = read(LIBRARY.format(resident=80, proportional=20))

    assert growth(before, after).shared == 10 * 1024


SIZE = 8 * 1024 * 1024
TOUCHED = f"""
import mmap
from scalewatch_agent.memory.footprint import footprint, growth

text = b"x" * {SIZE}
before = footprint()
with mmap.mmap(-1, {SIZE}, flags=mmap.MAP_PRIVATE) as pages:
    pages.write(text)
    print(growth(before, footprint()).anonymous)
"""


def test_pages_of_a_process_show_once_they_are_touched():
    """In a process of its own: threads of the tests would touch some, too."""
    command = [sys.executable, "-c", TOUCHED]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert SIZE <= int(done.stdout) < SIZE + SIZE // 4
