/* Weak scaling of a geometric multigrid solver, as UG4 is judged.
 *
 *     multigrid N
 *
 * solves Poisson's equation on N x N cells a process: p slices of N rows make a strip, with
 * zero on its border.  N and p are powers of two.  A V-cycle coarsens to one cell a process in
 * log2 N levels and from there, every other process resting, to one cell in log2 p levels more:
 *   - log2 N + log2 p + 1 levels, each with neighbours to wait for, so that time grows like
 *     log p at best;
 *   - (p - 1) (12 log2 N + 26) - 12 log2 p messages a cycle, the last residual's among them.
 * Cycles go on until the largest residual is 1e-9 of the first one: the same number for any p. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 40, SWEEPS = 2, MOST_CYCLES = 100 };

struct level {
    int rows, cols;             /* of this process */
    double across, along;       /* inverse squares of the cells' widths and heights */
    int stride;                 /* between the processes that take part */
    double *solution, *source, *residual;   /* each with a border */
};

static struct level levels[LEVELS];
static int rank, p, count;
static long messages;

static double *field(const struct level *l)
{
    double *cells = calloc((size_t)(l->rows + 2) * (l->cols + 2), sizeof *cells);
    if (!cells) {
        fprintf(stderr, "error: there is no memory for %d x %d cells\n", l->rows, l->cols);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return cells;
}

static int neighbour(const struct level *l, int direction)
{
    int other = rank + direction * l->stride;
    return other < 0 || other >= p ? MPI_PROC_NULL : other;
}

static int takes_part(const struct level *l)
{
    return rank % l->stride == 0;
}

/* Fill the border: from the neighbours, and so that the solution is zero on the strip's. */
static void exchange(const struct level *l, double *cells)
{
    int width = l->cols + 2, up = neighbour(l, -1), down = neighbour(l, 1);
    double *first = cells + width, *last = cells + l->rows * width;
    MPI_Sendrecv(first, width, MPI_DOUBLE, up, 1, last + width, width, MPI_DOUBLE, down, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, width, MPI_DOUBLE, down, 2, cells, width, MPI_DOUBLE, up, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages += (up != MPI_PROC_NULL) + (down != MPI_PROC_NULL);
    for (int j = 0; j < width; j++) {
        if (up == MPI_PROC_NULL)
            cells[j] = -first[j];
        if (down == MPI_PROC_NULL)
            last[width + j] = -last[j];
    }
    for (int i = 0; i < l->rows + 2; i++) {
        cells[i * width] = -cells[i * width + 1];
        cells[i * width + width - 1] = -cells[i * width + width - 2];
    }
}

/* Compute source - A solution. */
static void find_residual(struct level *l)
{
    int width = l->cols + 2;
    exchange(l, l->solution);
    for (int i = 1; i <= l->rows; i++)
        for (int j = 1; j <= l->cols; j++) {
            int at = i * width + j;
            const double *u = l->solution + at;
            l->residual[at] = l->source[at]
                - l->across * (2 * u[0] - u[-1] - u[1])
                - l->along * (2 * u[0] - u[-width] - u[width]);
        }
}

/* Damped Jacobi. */
static void smooth(struct level *l)
{
    double step = 0.8 / (2 * l->across + 2 * l->along);
    int width = l->cols + 2;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        find_residual(l);
        for (int i = 1; i <= l->rows; i++)
            for (int j = 1; j <= l->cols; j++)
                l->solution[i * width + j] += step * l->residual[i * width + j];
    }
}

/* Average the residual of two rows and, while there are some, two columns. */
static void restrict_to(struct level *coarse, const struct level *fine)
{
    if (coarse->stride > fine->stride) {    /* the rows of two processes */
        double *own = &fine->residual[4], other;
        if (!takes_part(coarse)) {
            MPI_Send(own, 1, MPI_DOUBLE, rank - fine->stride, 3, MPI_COMM_WORLD);
            messages++;
            return;
        }
        MPI_Recv(&other, 1, MPI_DOUBLE, rank + fine->stride, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        coarse->source[4] = (*own + other) / 2;
        return;
    }
    int width = fine->cols + 2;
    for (int i = 0; i < coarse->rows; i++)
        for (int j = 0; j < coarse->cols; j++) {
            const double *r = fine->residual + (2 * i + 1) * width + 2 * j + 1;
            coarse->source[(i + 1) * (coarse->cols + 2) + j + 1] =
                (r[0] + r[1] + r[width] + r[width + 1]) / 4;
        }
}

/* Add the correction, between the coarse cells linear in both directions. */
static void prolong(struct level *fine, struct level *coarse)
{
    if (takes_part(coarse))
        exchange(coarse, coarse->solution);
    if (coarse->stride > fine->stride) {
        double correction;
        if (takes_part(coarse)) {
            const double *c = &coarse->solution[4];
            fine->solution[4] += 0.75 * c[0] + 0.25 * c[-3];
            correction = 0.75 * c[0] + 0.25 * c[3];
            MPI_Send(&correction, 1, MPI_DOUBLE, rank + fine->stride, 4, MPI_COMM_WORLD);
            messages++;
        } else {
            MPI_Recv(&correction, 1, MPI_DOUBLE, rank - fine->stride, 4, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            fine->solution[4] += correction;
        }
        return;
    }
    int width = coarse->cols + 2;
    for (int i = 0; i < fine->rows; i++)
        for (int j = 0; j < fine->cols; j++) {
            const double *c = coarse->solution + (i / 2 + 1) * width + j / 2 + 1;
            int dx = j % 2 ? 1 : -1, dy = i % 2 ? width : -width;
            fine->solution[(i + 1) * (fine->cols + 2) + j + 1] +=
                (9 * c[0] + 3 * c[dx] + 3 * c[dy] + c[dx + dy]) / 16;
        }
}

static void cycle(int number)
{
    struct level *l = &levels[number], *coarse = l + 1;
    if (number == count - 1) {      /* a single cell */
        l->solution[4] = l->source[4] / (4 * l->across + 4 * l->along);
        return;
    }
    smooth(l);
    find_residual(l);
    restrict_to(coarse, l);
    if (takes_part(coarse)) {
        memset(coarse->solution, 0,
               sizeof(double) * (coarse->rows + 2) * (coarse->cols + 2));
        cycle(number + 1);
    }
    prolong(l, coarse);
    smooth(l);
}

/* Return the largest residual of the whole strip. */
static double norm(struct level *l)
{
    double own = 0, all;
    find_residual(l);
    for (int i = 1; i <= l->rows; i++)
        for (int j = 1; j <= l->cols; j++)
            own = fmax(own, fabs(l->residual[i * (l->cols + 2) + j]));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void set_up(int n)
{
    struct level l = {.rows = n, .cols = n, .across = 1, .along = 1, .stride = 1};
    for (;;) {
        l.solution = field(&l);
        l.source = field(&l);
        l.residual = field(&l);
        levels[count++] = l;
        l.along /= 4;
        if (l.rows > 1) {
            l.rows /= 2;
            l.cols /= 2;
            l.across /= 4;
        } else if (l.stride < p) {
            l.stride *= 2;
        } else {
            break;
        }
    }
    for (int i = 1; i <= n; i++)    /* rough, so that there is something on each level */
        for (int j = 1; j <= n; j++)
            levels[0].source[i * (n + 2) + j] =
                (i * 7919L + j * 104729L) % 1000 / 1000.0 - 0.3;
}

static void report(const char *region, const char *metric, const char *unit, double value)
{
    printf("{\"region\": \"%s\", \"metric\": \"%s\", \"unit\": \"%s\", "
           "\"value\": %.12g, \"exact\": %s}\n", region, metric, unit, value,
           strcmp(unit, "1") ? "false" : "true");    /* counts do not scatter */
}

int main(int words_count, char **words)
{
    MPI_Init(&words_count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    int n = words_count > 1 ? atoi(words[1]) : 0;
    if (n < 1 || n & (n - 1) || p & (p - 1)) {
        if (!rank)
            fprintf(stderr, "error: %d cells and %d processes: both are to be powers of two\n",
                    n, p);
        MPI_Finalize();
        return 2;
    }
    set_up(n);
    double first = norm(&levels[0]), left = first, slowest;
    int cycles = 0;
    long sent;
    messages = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    while (left > 1e-9 * first && cycles < MOST_CYCLES) {
        cycle(0);
        left = norm(&levels[0]);
        cycles++;
    }
    double took = MPI_Wtime() - start;
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&messages, &sent, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) {
        report("solve", "time", "s", slowest);
        report("iterations", "iterations", "1", cycles);
        report("cycle", "time", "s", slowest / cycles);
        report("levels", "levels", "1", count);
        report("exchange", "messages", "1", (double)sent / cycles);
    }
    MPI_Finalize();
    return 0;
}
