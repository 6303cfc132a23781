/* Conjugate gradients on processes and threads: MPI between blocks of rows, OpenMP in
   each. The five-point Laplacian on a square of WIDTH x WIDTH points, zeros around it.

     mpiexec -n p ./cg WIDTH ITERATIONS

   An iteration exchanges a row with both neighbours, and adds up two numbers over all
   processes. Standard output is a line of JSON with the time of each iteration, standard
   error the residual, which is the same at all splits but for rounding. */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UPS 3

static int rank, processes;
static long width, rows, row;

static double *field(void)
{
    double *values = malloc((rows + 2) * row * sizeof(double));
    if (!values) {
        fprintf(stderr, "no memory for %ld rows\n", rows);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
#pragma omp parallel for schedule(static) /* pages lie where they are used */
    for (long j = 0; j < rows + 2; j++)
        for (long i = 0; i < row; i++)
            values[j * row + i] = 0;
    return values;
}

/* The rows above and below a block belong to its neighbours. */
static void exchange(double *p)
{
    int above = rank ? rank - 1 : MPI_PROC_NULL;
    int below = rank < processes - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(p + row, row, MPI_DOUBLE, above, 0, p + (rows + 1) * row, row,
                 MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + rows * row, row, MPI_DOUBLE, below, 1, p, row, MPI_DOUBLE, above,
                 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double everywhere(double part)
{
    double sum;
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void multiply(const double *p, double *q)
{
#pragma omp parallel for schedule(static)
    for (long j = 1; j <= rows; j++)
        for (long i = j * row + 1; i <= j * row + width; i++)
            q[i] = 4 * p[i] - p[i - 1] - p[i + 1] - p[i - row] - p[i + row];
}

static double product(const double *u, const double *v)
{
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (long i = row; i < (rows + 1) * row; i++)
        sum += u[i] * v[i];
    return everywhere(sum);
}

static double advance(double *x, double *r, const double *p, const double *q,
                      double step)
{
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (long i = row; i < (rows + 1) * row; i++) {
        x[i] += step * p[i];
        r[i] -= step * q[i];
        sum += r[i] * r[i];
    }
    return everywhere(sum);
}

static void turn(double *p, const double *r, double share)
{
#pragma omp parallel for schedule(static)
    for (long i = row; i < (rows + 1) * row; i++)
        p[i] = r[i] + share * p[i];
}

int main(int count, char **words)
{
    int level;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    width = count > 1 ? atol(words[1]) : 0;
    long iterations = count > 2 ? atol(words[2]) : 0;
    if (width < processes || iterations < 1) {
        if (!rank)
            fprintf(stderr, "cg WIDTH ITERATIONS, with a row for each process\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    row = width + 2;
    long first = width * rank / processes;
    rows = width * (rank + 1) / processes - first;
    double *x = field(), *r = field(), *p = field(), *q = field();
    double *times = malloc(iterations * sizeof(double));
    for (long j = 1; j <= rows; j++) /* numbers without an order on the right side */
        for (long i = 1; i <= width; i++)
            r[j * row + i] = p[j * row + i] =
                (double)(((first + j) * 7919 + i * 104729) % 1000) / 999 - 0.5;
    double squares = product(r, r);
    for (long k = -WARM_UPS; k < iterations; k++) {
        double start = MPI_Wtime();
        exchange(p);
        multiply(p, q);
        double step = squares / product(p, q);
        double next = advance(x, r, p, q, step);
        turn(p, r, next / squares);
        squares = next;
        if (k >= 0)
            times[k] = MPI_Wtime() - start;
    }
    if (!rank) {
        printf("{\"region\": \"cg\", \"metric\": \"time\", \"unit\": \"s\", \"values\": [");
        for (long k = 0; k < iterations; k++)
            printf("%s%.9e", k ? ", " : "", times[k]);
        printf("]}\n");
        fprintf(stderr, "residual %.9e\n", sqrt(squares));
    }
    MPI_Finalize();
    return 0;
}
