/* A ring whose process SLOW computes ten times as long as the others, which wait for it.
 *
 *     program SLOW MICROSECONDS */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 20, FACTOR = 10 };

static void exchange(int rank, int size)
{
    double own = rank, other;
    MPI_Request request;
    MPI_Irecv(&other, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&own, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int count, char **words)
{
    int rank, size;
    double sum = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < STEPS; step++) {
        usleep((rank == atoi(words[1]) ? FACTOR : 1) * atoi(words[2]));
        exchange(rank, size);
        if (step % 2) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
