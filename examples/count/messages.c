/* Rounds of communication; comments say what all processes count together. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;
static long token;

static void ring(void) { /* MPI_Send: p - 1 */
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1)
        MPI_Send(&token, 1, MPI_LONG, rank + 1, 0, MPI_COMM_WORLD);
}

static void everybody(void) { /* loop 1: p (p - 1) */
    for (int step = 1; step < size; step++)
        MPI_Sendrecv_replace(&token, 1, MPI_LONG, (rank + step) % size, 1,
                             (rank + size - step) % size, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

static void tree(void) { /* loop 1: p log p; MPI_Send: p - 1 */
    for (int reach = 1; reach < size; reach *= 2) {
        if (rank < reach && rank + reach < size)
            MPI_Send(&token, 1, MPI_LONG, rank + reach, 2, MPI_COMM_WORLD);
        else if (rank >= reach && rank < 2 * reach)
            MPI_Recv(&token, 1, MPI_LONG, rank - reach, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

static void share(long n) { /* loop 1: n; of the largest process n / p */
    for (long i = rank; i < n; i += size)
        token += i;
}

static void each(long n) { /* loop 1: n p; of the largest process n */
    for (long i = 0; i < n; i++)
        token += i;
}

int main(int count, char **words) {
    long n = count > 1 ? atol(words[1]) : 1024;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring();
    everybody();
    tree();
    share(n);
    each(n);
    MPI_Finalize();
    return 0;
}
