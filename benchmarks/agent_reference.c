/* The loop that the agent is compared with: barrier, clock, operation, clock. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WARM_UPS 8

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void repeat(const char *name, int repetitions, int doubles)
{
    double *send = calloc(doubles, sizeof *send);
    double *receive = calloc(doubles, sizeof *receive);
    double *lasted = calloc(repetitions, sizeof *lasted);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = -WARM_UPS; i < repetitions; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = now();
        if (name[4] == 'A')
            MPI_Allreduce(send, receive, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Barrier(MPI_COMM_WORLD);
        double end = now();
        if (i >= 0)
            lasted[i] = end - begin;
    }
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, lasted, repetitions, MPI_DOUBLE, MPI_MAX, 0,
                   MPI_COMM_WORLD);
    else
        MPI_Reduce(lasted, NULL, repetitions, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < repetitions; i++)
        printf("%s %.9f\n", name, lasted[i]);
    free(send);
    free(receive);
    free(lasted);
}

int main(int argc, char **argv)
{
    int provided, repetitions = argc > 1 ? atoi(argv[1]) : 400;
    int doubles = argc > 2 ? atoi(argv[2]) / (int)sizeof(double) : 32;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    repeat("MPI_Barrier", repetitions, doubles);
    repeat("MPI_Allreduce", repetitions, doubles);
    MPI_Finalize();
    return 0;
}
