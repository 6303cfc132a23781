/* The loop that the agent is compared with: barrier, clock, operation, clock. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WARM_UPS 8
#define TURN 50

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

struct operation {
    const char *name;
    double *lasted;
};

static void call(const char *name, double *send, double *receive, int doubles)
{
    if (name[4] == 'A')
        MPI_Allreduce(send, receive, doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

/* Repeat an operation; the repetitions before the first are not kept. */
static void repeat(struct operation *one, int first, int end, int doubles)
{
    double *send = calloc(doubles, sizeof *send);
    double *receive = calloc(doubles, sizeof *receive);
    for (int i = first; i < end; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = now();
        call(one->name, send, receive, doubles);
        double after = now();
        if (i >= 0)
            one->lasted[i] = after - begin;
    }
    free(send);
    free(receive);
}

static void print(struct operation *one, int repetitions)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, one->lasted, repetitions, MPI_DOUBLE, MPI_MAX, 0,
                   MPI_COMM_WORLD);
    else
        MPI_Reduce(one->lasted, NULL, repetitions, MPI_DOUBLE, MPI_MAX, 0,
                   MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < repetitions; i++)
        printf("%s %.9f\n", one->name, one->lasted[i]);
}

int main(int argc, char **argv)
{
    int provided, repetitions = argc > 1 ? atoi(argv[1]) : 400;
    int doubles = argc > 2 ? atoi(argv[2]) / (int)sizeof(double) : 32;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    struct operation both[] = {{"MPI_Barrier", NULL}, {"MPI_Allreduce", NULL}};
    for (int which = 0; which < 2; which++) {
        both[which].lasted = calloc(repetitions, sizeof(double));
        repeat(&both[which], -WARM_UPS, 0, doubles);
    }
    /* The agent's operations take turns, too. */
    for (int turn = 0; turn < repetitions; turn += TURN) {
        int end = turn + TURN < repetitions ? turn + TURN : repetitions;
        for (int which = 0; which < 2; which++)
            repeat(&both[which], turn, end, doubles);
    }
    for (int which = 0; which < 2; which++) {
        print(&both[which], repetitions);
        free(both[which].lasted);
    }
    MPI_Finalize();
    return 0;
}
