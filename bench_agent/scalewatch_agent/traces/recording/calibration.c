/* Calls of MPI under ideal circumstances, many times each: FUNCTION:BYTES, one after the other.
 *
 *     program BLOCKS REPETITIONS FUNCTION:BYTES…
 *
 * What is measured runs on a communicator of its own, and messages carry the number of the
 * function as their tag, by which the reader tells them from what synchronises processes.
 * Point-to-point calls: between processes 0 and 1, the partner being ready; a receive finds its
 * message on the way.  Collectives: all have met before, and those that do not block are waited
 * for at once.  Blocks take turns, so that one that was disturbed does not spoil a cell. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collectives with their arguments: blocking, and not. */
#define COLLECTIVES(EACH) \
    EACH(Barrier, Ibarrier, measured) \
    EACH(Bcast, Ibcast, out, bytes, MPI_BYTE, 0, measured) \
    EACH(Reduce, Ireduce, out, in, doubles, MPI_DOUBLE, MPI_SUM, 0, measured) \
    EACH(Allreduce, Iallreduce, out, in, doubles, MPI_DOUBLE, MPI_SUM, measured) \
    EACH(Gather, Igather, out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, measured) \
    EACH(Gatherv, Igatherv, out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, 0, measured) \
    EACH(Scatter, Iscatter, out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, measured) \
    EACH(Scatterv, Iscatterv, out, counts, places, MPI_BYTE, in, bytes, MPI_BYTE, 0, measured) \
    EACH(Allgather, Iallgather, out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, measured) \
    EACH(Allgatherv, Iallgatherv, out, bytes, MPI_BYTE, in, counts, places, MPI_BYTE, measured) \
    EACH(Alltoall, Ialltoall, out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, measured) \
    EACH(Alltoallv, Ialltoallv, out, counts, places, MPI_BYTE, in, counts, places, MPI_BYTE, measured) \
    EACH(Alltoallw, Ialltoallw, out, counts, places, types, in, counts, places, types, measured) \
    EACH(Scan, Iscan, out, in, doubles, MPI_DOUBLE, MPI_SUM, measured) \
    EACH(Exscan, Iexscan, out, in, doubles, MPI_DOUBLE, MPI_SUM, measured) \
    EACH(Reduce_scatter, Ireduce_scatter, out, in, shares, MPI_DOUBLE, MPI_SUM, measured) \
    EACH(Reduce_scatter_block, Ireduce_scatter_block, out, in, doubles, MPI_DOUBLE, MPI_SUM, measured)

#define NUMBERS(blocking, starting, ...) blocking, starting,
#define NAMES(blocking, starting, ...) #blocking, #starting,

enum { Send, Ssend, Rsend, Recv, Isend, Irecv, Sendrecv, COLLECTIVES(NUMBERS) FUNCTIONS };
static const char *const names[FUNCTIONS] = {
    "Send", "Ssend", "Rsend", "Recv", "Isend", "Irecv", "Sendrecv", COLLECTIVES(NAMES)};
enum { WARM_UPS = 10 };

static MPI_Comm measured;
static char *out, *in;
static int *counts, *places, *shares;
static MPI_Datatype *types;
static int rank, size;

static void tell(int other) { MPI_Send(&rank, 1, MPI_INT, other, 99, MPI_COMM_WORLD); }

static void hear(int other)
{
    int word;
    MPI_Recv(&word, 1, MPI_INT, other, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Let the partner, which has said that it is about to call, come to its call. */
static void let_go_on(void)
{
    double end = MPI_Wtime() + 2e-6;
    for (int turn = 0; turn < 10000 && MPI_Wtime() < end; turn++) {}
}

static void sent(int function, int bytes)
{
    MPI_Request request;
    if (rank == 1) {
        if (function == Rsend) {
            MPI_Irecv(in, bytes, MPI_BYTE, 0, function, measured, &request);
            tell(0);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            tell(0);
            MPI_Recv(in, bytes, MPI_BYTE, 0, function, measured, MPI_STATUS_IGNORE);
        }
        return;
    }
    hear(1);
    let_go_on();
    if (function == Send) MPI_Send(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == Ssend) MPI_Ssend(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == Rsend) MPI_Rsend(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == Isend) {
        MPI_Isend(out, bytes, MPI_BYTE, 1, function, measured, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void received(int function, int bytes)
{
    MPI_Request request;
    if (rank == 1) {
        MPI_Isend(out, bytes, MPI_BYTE, 0, function, measured, &request);
        tell(0);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    hear(1);
    let_go_on();
    if (function == Recv) MPI_Recv(in, bytes, MPI_BYTE, 1, function, measured, MPI_STATUS_IGNORE);
    else {
        MPI_Irecv(in, bytes, MPI_BYTE, 1, function, measured, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void exchanged(int bytes)
{
    int other = 1 - rank;
    if (rank) { tell(other); hear(other); } else { hear(other); tell(other); }
    MPI_Sendrecv(out, bytes, MPI_BYTE, other, Sendrecv, in, bytes, MPI_BYTE, other, Sendrecv, measured,
                 MPI_STATUS_IGNORE);
}

/* Every process has a part of the same size in what is gathered, scattered or exchanged. */
static void share(int bytes)
{
    for (int at = 0; at < size; at++) {
        counts[at] = bytes;
        places[at] = at * bytes;
        shares[at] = bytes / (int)sizeof(double);
        types[at] = MPI_BYTE;
    }
}

#define MET(blocking, starting, ...) \
    case blocking: MPI_##blocking(__VA_ARGS__); break; \
    case starting: MPI_##starting(__VA_ARGS__, &request); MPI_Wait(&request, MPI_STATUS_IGNORE); break;

static void met(int function, int bytes)
{
    int doubles = bytes / (int)sizeof(double);
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    switch (function) { COLLECTIVES(MET) }
}

static void repeated(int function, int bytes, int repetitions)
{
    share(bytes);
    for (int turn = 0; turn < WARM_UPS + repetitions; turn++) {
        if (function >= Barrier) met(function, bytes);
        else if (rank > 1) break;
        else if (function == Sendrecv) exchanged(bytes);
        else if (function == Recv || function == Irecv) received(function, bytes);
        else sent(function, bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int known(const char *word, int *bytes)
{
    const char *colon = strchr(word, ':');
    for (int function = 0; colon && function < FUNCTIONS; function++) {
        size_t length = strlen(names[function]);
        if (length != (size_t)(colon - word) || strncmp(word, names[function], length)) continue;
        *bytes = atoi(colon + 1);
        return function;
    }
    fprintf(stderr, "error: %s is no FUNCTION:BYTES\n", word);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 0;
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &measured);
    if (count < 4 || size < 2) {
        if (!rank) fprintf(stderr, "error: program BLOCKS REPETITIONS FUNCTION:BYTES…, on two or more processes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int largest = 1, bytes;
    for (int at = 3; at < count; at++) {
        known(words[at], &bytes);
        if (bytes > largest) largest = bytes;
    }
    out = calloc((size_t)largest * (size_t)size + sizeof(double), 1);
    in = calloc((size_t)largest * (size_t)size + sizeof(double), 1);
    counts = calloc(3 * (size_t)size, sizeof *counts);
    types = malloc((size_t)size * sizeof *types);
    if (!out || !in || !counts || !types || (double)largest * size > INT_MAX) {   /* places are ints */
        fprintf(stderr, "error: there is no memory for messages of %d bytes\n", largest);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    places = counts + size;
    shares = places + size;
    for (int block = 0; block < atoi(words[1]); block++)
        for (int at = 3; at < count; at++) {
            int function = known(words[at], &bytes);
            repeated(function, bytes, atoi(words[2]));
        }
    free(out);
    free(in);
    free(counts);
    free(types);
    MPI_Comm_free(&measured);
    MPI_Finalize();
    return 0;
}
