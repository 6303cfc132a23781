/* The inner loops of the runtime suite, free of Python.

   An operation is a sequence of calls of MPI functions. All their arguments are
   integers or pointers, which the calling conventions of 64-bit Linux pass as machine
   words, the same for every function: so this file needs no mpi.h, and one compiled
   library serves every MPI library. Functions with fewer arguments ignore the rest. */

#include <stdint.h>
#include <time.h>

#define ARGUMENTS 12

typedef intptr_t word;
typedef int (*function)(word, word, word, word, word, word, word, word, word, word,
                        word, word);

struct call {
    function function;
    word arguments[ARGUMENTS];
};

/* What Python calls perf_counter_ns. */
static inline int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline int call(const struct call *call)
{
    const word *a = call->arguments;
    return call->function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                          a[10], a[11]);
}

static inline int operate(const struct call *calls, int64_t count)
{
    int error = 0;
    for (int64_t i = 0; i < count; i++)
        error |= call(&calls[i]);
    return error;
}

/* Store when each repetition began and ended; return MPI's error code. */
int behind_barriers(const struct call *calls, int64_t count, const struct call *barrier,
                    int64_t batch, int64_t *begun, int64_t *ended)
{
    int error = 0;
    for (int64_t i = 0; i < batch && !error; i++) {
        error = call(barrier);
        begun[i] = now();
        error |= operate(calls, count);
        ended[i] = now();
    }
    return error;
}

/* The announcement is a broadcast of `start`, in the time of rank 0, which is local time
   plus `offset`. Store by how much each repetition began late and when it ended, both
   from its announced start.

   A round before the first one does not count: who comes from Python comes late, and
   finds its code and data in no cache. */
int in_rounds(const struct call *calls, int64_t count, const struct call *barrier,
              const struct call *announcement, int64_t *start, int64_t announces,
              int64_t lead, int64_t offset, int64_t batch, int64_t *late,
              int64_t *lasted)
{
    int error = call(barrier);
    for (int64_t i = -1; i < batch && !error; i++) {
        if (announces)
            *start = now() + offset + lead;
        error = call(announcement);
        int64_t moment = *start - offset;
        int64_t begin = now();
        while (begin < moment) /* who offers the core to others here starts late */
            begin = now();
        error |= operate(calls, count);
        int64_t end = now();
        if (i >= 0) {
            lasted[i] = end - begin;
            late[i] = begin - moment;
        }
    }
    return error;
}

/* Ask another process for its time, `times` over: `both` are a send and a receive of
   `reply`, which tells that time and how unsure it is. Keep of the quickest round trip
   when it began, how long it took, and the reply. */
int ask(const struct call *both, const int64_t *reply, int64_t times, int64_t *quickest)
{
    int error = 0;
    for (int64_t i = 0; i < times && !error; i++) {
        int64_t sent = now();
        error = operate(both, 2);
        int64_t lasted = now() - sent;
        if (i == 0 || lasted < quickest[1]) {
            quickest[0] = sent;
            quickest[1] = lasted;
            quickest[2] = reply[0];
            quickest[3] = reply[1];
        }
    }
    return error;
}

/* Answer as often: `both` are a receive and a send of `reply`. Local time plus `offset`
   was the time to tell at local time `at`, give or take `unsure`, and may drift by one
   nanosecond in `steady`; where nothing is unsure, it is the same clock. */
int answer(const struct call *both, int64_t *reply, int64_t times, int64_t at,
           int64_t offset, int64_t unsure, int64_t steady)
{
    int error = 0;
    for (int64_t i = 0; i < times && !error; i++) {
        error = call(&both[0]);
        int64_t moment = now();
        int64_t since = moment > at ? moment - at : at - moment;
        reply[0] = moment + offset;
        reply[1] = unsure ? unsure + since / steady : 0;
        error |= call(&both[1]);
    }
    return error;
}

/* Store what the clock shows each time that it is read. */
void read_clock(int64_t batch, int64_t *readings)
{
    for (int64_t i = 0; i < batch; i++)
        readings[i] = now();
}

/* An operation that does nothing. */
int nothing(void)
{
    return 0;
}

/* An operation that keeps the core busy for so many nanoseconds. */
int compute(const int64_t *duration)
{
    int64_t end = now() + *duration;
    while (now() < end)
        ;
    return 0;
}
