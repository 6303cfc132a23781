/* Planted delays, on two processes: each kind of waiting ROUNDS times so many microseconds.
 *
 * What the waiting came to is printed as the program itself saw it: a processor that is busy
 * with something else adds to the delays. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10, KINDS = 6 };
enum { LATE_SENDER, LATE_RECEIVER, LATE_ENTRY, LATE_ROOT, EARLY_ROOT, LATE_BARRIER };
static const char *names[] = {"late_sender", "late_receiver", "late_entry", "late_root", "early_root", "late_barrier"};
static const int waiting[] = {1, 0, 1, 1, 0, 1};

static double times[KINDS][ROUNDS][2], all[2][KINDS][ROUNDS][2];
static int round_number;

/* The clock that all processes share; that of MPI may begin with each of them. */
static double now(void)
{
#ifdef SIMULATED
    return MPI_Wtime();
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
#endif
}

#define TIMED(kind, call) do { \
        times[kind][round_number][0] = now(); \
        call; \
        times[kind][round_number][1] = now(); \
    } while (0)

/* Of its own, since all other barriers only bring processes together. */
static __attribute__((noinline)) void meet(void)
{
    TIMED(LATE_BARRIER, MPI_Barrier(MPI_COMM_WORLD));
}

int main(int count, char **words)
{
    static char large[1 << 20];
    int rank, value = 0, delay;
    MPI_Request request;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    delay = atoi(words[1]);
    for (round_number = 0; round_number < ROUNDS; round_number++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            usleep(delay);
            TIMED(LATE_SENDER, MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        } else if (round_number % 2) {
            TIMED(LATE_SENDER, MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else {
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
            TIMED(LATE_SENDER, MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            TIMED(LATE_RECEIVER, MPI_Ssend(large, sizeof large, MPI_CHAR, 1, 0, MPI_COMM_WORLD));
        } else {
            usleep(delay);
            TIMED(LATE_RECEIVER, MPI_Recv(large, sizeof large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) usleep(delay);
        TIMED(LATE_ENTRY, MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) usleep(delay);
        TIMED(LATE_ROOT, MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) usleep(delay);
        TIMED(EARLY_ROOT, MPI_Reduce(rank ? &value : MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) usleep(delay);
        meet();
    }
    MPI_Gather(times, sizeof times, MPI_CHAR, all, sizeof times, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int kind = 0; !rank && kind < KINDS; kind++) {
        double sum = 0;
        for (int at = 0; at < ROUNDS; at++) {
            const double *own = all[waiting[kind]][kind][at], *other = all[!waiting[kind]][kind][at];
            double wait = other[0] - own[0], took = own[1] - own[0];
            sum += wait < 0 ? 0 : wait > took ? took : wait;
        }
        printf("%s %.9f\n", names[kind], sum);
    }
    MPI_Finalize();
    return 0;
}
