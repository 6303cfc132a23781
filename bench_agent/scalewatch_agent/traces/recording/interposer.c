/* An interposer between a program and its MPI library: a record of 48 bytes for each call.
 *
 * It is compiled against the library's own mpi.h and preloaded.  Environment:
 *     SCALEWATCH_TRACE         folder of the trace; nothing is recorded without
 *     SCALEWATCH_TRACE_RUN     name of the run, the same in all files
 *     SCALEWATCH_TRACE_DEPTH   callers to record beside the place of the call
 *     SCALEWATCH_TRACE_CLOCKS  "measure": clocks differ though the kernel is the same
 *
 * Each thread of a process writes rank.R.swt (rank.R.T.swt for further threads); what their
 * numbers mean is appended to rank.R.def as it appears, so that a killed program keeps it.
 * Nothing here may abort the program: where a file cannot be written, recording ends.
 *
 * With SIMULATED all processes are in one, and their clock is that of the simulation. */
#define _GNU_SOURCE
#include <mpi.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "numbers.c"
#include "records.c"
#include "places.c"
#include "python.c"
#include "communicators.c"
#include "requests.c"
#include "notes.c"
#include "clocks.c"
#include "lifetime.c"
#include "completions.c"
#include "wrappers.c"
#include "fortran.c"
#include "named.c"
#include "simulated.c"
