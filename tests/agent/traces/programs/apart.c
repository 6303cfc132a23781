/* Calls with bytes that are neither messages nor collectives which block. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, p, dimensions[1], periods[1] = {1};
    double given[2] = {1, 2}, taken[2], window[2] = {0, 0};
    MPI_Comm ring;
    MPI_Win win;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    dimensions[0] = p;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, periods, 0, &ring);
    MPI_Neighbor_alltoall(given, 1, MPI_DOUBLE, taken, 1, MPI_DOUBLE, ring);
    MPI_Ibcast(given, 2, MPI_DOUBLE, 1, ring, &requests[0]);
    MPI_Iallreduce(given, taken, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_create(window, sizeof window, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(given, 2, MPI_DOUBLE, (rank + 1) % p, 0, 2, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
