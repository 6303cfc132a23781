/* Two threads of each of two processes exchange messages at the same time. */
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 50 };   /* four threads that poll: on two busy cores each round takes some turns */
static int rank;

static void *exchange(void *tag)
{
    int out = 0, in, own = *(int *)tag;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, own, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, 1 - rank, own, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int count, char **words)
{
    int level, tags[2] = {0, 1};
    pthread_t thread;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, exchange, &tags[1]);
    exchange(&tags[0]);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
