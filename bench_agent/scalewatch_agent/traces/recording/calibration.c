/* Calls of MPI under ideal circumstances, many times each: FUNCTION:BYTES, one after the other.
 *
 *     program BLOCKS REPETITIONS FUNCTION:BYTES…
 *
 * What is measured runs on a communicator of its own, and messages carry the number of the
 * function as their tag, by which the reader tells them from what synchronises processes.
 * Point-to-point calls: between processes 0 and 1, the partner being ready; a receive finds its
 * message on the way.  Collectives: all have met before.  Blocks take turns, so that one that
 * was disturbed does not spoil a cell. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEND, SSEND, RSEND, RECV, ISEND, IRECV, SENDRECV, BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER,
       SCATTER, ALLGATHER, ALLTOALL, SCAN, REDUCE_SCATTER_BLOCK, FUNCTIONS };
static const char *const names[FUNCTIONS] = {
    "Send", "Ssend", "Rsend", "Recv", "Isend", "Irecv", "Sendrecv", "Barrier", "Bcast", "Reduce", "Allreduce",
    "Gather", "Scatter", "Allgather", "Alltoall", "Scan", "Reduce_scatter_block"};
enum { WARM_UPS = 10 };

static MPI_Comm measured;
static char *out, *in;
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
        if (function == RSEND) {
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
    if (function == SEND) MPI_Send(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == SSEND) MPI_Ssend(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == RSEND) MPI_Rsend(out, bytes, MPI_BYTE, 1, function, measured);
    if (function == ISEND) {
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
    if (function == RECV) MPI_Recv(in, bytes, MPI_BYTE, 1, function, measured, MPI_STATUS_IGNORE);
    else {
        MPI_Irecv(in, bytes, MPI_BYTE, 1, function, measured, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void exchanged(int bytes)
{
    int other = 1 - rank;
    if (rank) { tell(other); hear(other); } else { hear(other); tell(other); }
    MPI_Sendrecv(out, bytes, MPI_BYTE, other, SENDRECV, in, bytes, MPI_BYTE, other, SENDRECV, measured,
                 MPI_STATUS_IGNORE);
}

static void met(int function, int bytes)
{
    int doubles = bytes / (int)sizeof(double);
    MPI_Barrier(MPI_COMM_WORLD);
    switch (function) {
    case BARRIER: MPI_Barrier(measured); break;
    case BCAST: MPI_Bcast(out, bytes, MPI_BYTE, 0, measured); break;
    case REDUCE: MPI_Reduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, 0, measured); break;
    case ALLREDUCE: MPI_Allreduce(out, in, doubles, MPI_DOUBLE, MPI_SUM, measured); break;
    case GATHER: MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, measured); break;
    case SCATTER: MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, measured); break;
    case ALLGATHER: MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, measured); break;
    case ALLTOALL: MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, measured); break;
    case SCAN: MPI_Scan(out, in, doubles, MPI_DOUBLE, MPI_SUM, measured); break;
    default: MPI_Reduce_scatter_block(out, in, doubles, MPI_DOUBLE, MPI_SUM, measured); break;
    }
}

static void repeated(int function, int bytes, int repetitions)
{
    for (int turn = 0; turn < WARM_UPS + repetitions; turn++) {
        if (function >= BARRIER) met(function, bytes);
        else if (rank > 1) break;
        else if (function == SENDRECV) exchanged(bytes);
        else if (function == RECV || function == IRECV) received(function, bytes);
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
    if (!out || !in) {
        fprintf(stderr, "error: there is no memory for messages of %d bytes\n", largest);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int block = 0; block < atoi(words[1]); block++)
        for (int at = 3; at < count; at++) {
            int function = known(words[at], &bytes);
            repeated(function, bytes, atoi(words[2]));
        }
    free(out);
    free(in);
    MPI_Comm_free(&measured);
    MPI_Finalize();
    return 0;
}
