/* Ends in a way of its own, after some messages: ends HOW ROUNDS. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    int rank, value = 0;
    const char *how = words[1];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < atoi(words[2]); round++) {
        if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (!child) exit(0);     /* runs what runs at exit, as the parent will */
        waitpid(child, NULL, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "kill") && rank == 1) kill(getpid(), SIGKILL);
    if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(how, "exit")) _exit(0);
    MPI_Finalize();
    return 0;
}
