/* A value that one process has goes to all, twice as many each round. */
#include "library.h"
#include <mpi.h>

void broadcast(double *value, int rank, int size) {
    int reach = 1;
    while (reach < size) {
        if (rank < reach && rank + reach < size)
            MPI_Send(value, 1, MPI_DOUBLE, rank + reach, 0, MPI_COMM_WORLD);
        else if (rank >= reach && rank < 2 * reach)
            MPI_Recv(value, 1, MPI_DOUBLE, rank - reach, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        reach *= 2;
    }
}
