/* Known numbers of calls, bytes and messages, on two processes. */
#include <mpi.h>
#include <stdlib.h>

enum { ROUNDS = 10 };

static void blocking(int rank, int other, MPI_Comm comm)
{
    double out[100] = {0}, in[100];
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) MPI_Send(out, 100, MPI_DOUBLE, other, round, comm);
        else MPI_Recv(in, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, 7, MPI_DOUBLE, other, 3, in, 7, MPI_DOUBLE, other, 3, comm, &status);
        MPI_Sendrecv_replace(out, 5, MPI_DOUBLE, other, 4, other, 4, comm, MPI_STATUS_IGNORE);
    }
    MPI_Send(out, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm);
    MPI_Recv(in, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
}

static void nonblocking(int other, MPI_Comm comm)
{
    int out[8] = {0}, in[8], index, done, flag = 0, indices[8];
    MPI_Request requests[8];
    for (int at = 0; at < 4; at++) MPI_Irecv(&in[at], 1, MPI_INT, MPI_ANY_SOURCE, at, comm, &requests[at]);
    for (int at = 0; at < 4; at++) MPI_Isend(&out[at], 1, MPI_INT, other, at, comm, &requests[4 + at]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);

    for (int at = 0; at < 4; at++) MPI_Irecv(&in[at], 1, MPI_INT, other, at, comm, &requests[at]);
    for (int at = 3; at >= 0; at--) MPI_Ssend_init(&out[at], 1, MPI_INT, other, at, comm, &requests[4 + at]);
    MPI_Startall(4, requests + 4);
    for (int at = 0; at < 4; at++) MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests + 4, MPI_STATUSES_IGNORE);
    for (int at = 4; at < 8; at++) MPI_Request_free(&requests[at]);

    MPI_Recv_init(in, 2, MPI_INT, other, 9, comm, &requests[0]);
    MPI_Send_init(out, 2, MPI_INT, other, 9, comm, &requests[1]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        for (int left = 2; left; left -= done) MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    MPI_Irecv(in, 1, MPI_INT, other, 1, comm, &requests[0]);
    MPI_Isend(out, 1, MPI_INT, other, 1, comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);

    MPI_Irecv(in, 1, MPI_INT, other, 2, comm, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void probed(int other, MPI_Comm comm)
{
    int out = 0, in[2];
    MPI_Message message;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_INT, other, 5, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 5, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void collective(int rank, MPI_Comm comm)
{
    int in[8] = {0}, out[8] = {0}, counts[2] = {1, 3}, places[2] = {0, 1};
    MPI_Request request;
    MPI_Barrier(comm);
    MPI_Bcast(in, 4, MPI_INT, 1, comm);
    MPI_Reduce(in, out, 3, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_INT, MPI_SUM, comm);
    if (rank == 0) MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT, 0, comm);
    else MPI_Gather(in, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, comm);
    if (rank == 0) MPI_Scatterv(out, counts, places, MPI_INT, in, 1, MPI_INT, 0, comm);
    else MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, in, 3, MPI_INT, 0, comm);
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
    MPI_Alltoallv(in, counts, places, MPI_INT, out, rank ? (int[]){3, 3} : (int[]){1, 1},
                  rank ? (int[]){0, 3} : (int[]){0, 1}, MPI_INT, comm);
    MPI_Iallreduce(in, out, 5, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void between(int rank)
{
    MPI_Comm alone, both;
    int out = 1, in;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - rank, 7, &both);
    if (rank == 0) MPI_Send(&out, 1, MPI_INT, 0, 8, both);
    else MPI_Recv(&in, 1, MPI_INT, 0, 8, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&alone);
}

int main(int count, char **words)
{
    MPI_Comm turned;
    int rank, own;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    MPI_Comm_rank(turned, &own);
    blocking(own, 1 - own, turned);
    nonblocking(1 - own, turned);
    collective(rank, MPI_COMM_WORLD);
#ifndef SIMULATED                /* SimGrid 3.32 knows neither */
    probed(1 - own, turned);
    between(rank);
#endif
    MPI_Comm_free(&turned);
    MPI_Finalize();
    return 0;
}
