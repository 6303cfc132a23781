"""Addresses of calls as function, file and line, of a program that prints them."""

import shutil
import subprocess

import pytest

from scalewatch_agent.traces.own.sites import source_lines

CALLED = """\
#include <stdio.h>
void called_(void)
{
    printf("%p\\n", __builtin_return_address(0));
    fflush(stdout);
}
"""

PROGRAM = """\
program inlining
   external called
   call first()
   call second()
contains
   subroutine first()
      call called()
      call called()
   end subroutine first
   subroutine second()
      call called()
   end subroutine second
end program inlining
"""


@pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="no gfortran: apt-get install gfortran"
)
def test_procedures_that_are_inlined_in_fortran_are_named(tmp_path):
    sources = tmp_path / "called.c", tmp_path / "inlining.f90"
    for path, text in zip(sources, (CALLED, PROGRAM), strict=True):
        path.write_text(text)
    program = tmp_path / "program"
    options = ("-O1", "-g", "-no-pie", "-fno-optimize-sibling-calls")
    subprocess.run(["gfortran", *options, "-o", program, *sources], check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True)
    addresses = [(program, int(word, 16)) for word in said.stdout.split()]

    together = source_lines(addresses)
    alone = [source_lines([one])[one] for one in addresses]

    assert [together[one] for one in addresses] == alone
    found = [(lines[0].function, lines[0].line) for lines in alone]
    assert found == [("first", 7), ("first", 8), ("second", 11)]
