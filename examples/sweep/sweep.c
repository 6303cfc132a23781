/* A wavefront sweep after Koch, Baker and Alcouffe, as Sweep3D does it.
 *
 *     sweep PX PY MODE [NX NY NZ BLOCK ANGLES ITERATIONS]
 *
 * PX x PY processes hold NX x NY x NZ cells each (weak scaling).  In each of the eight octants
 * a process takes BLOCK planes at a time: it receives the fluxes that enter from west and south,
 * computes, and sends those that leave to east and north.  MODE is blocking or nonblocking.
 *
 * With B = ceil(NZ / BLOCK) blocks, an iteration
 *   - sends 8 B ((PX - 1) PY + PX (PY - 1)) messages, and
 *   - takes 8 B + 4 (PX - 1) + 2 (PY - 1) steps, one after the other: 8 B are work, the others
 *     fill the pipeline (Hoisie et al.), so that on a square grid its time grows like sqrt(p).
 * Steps are counted: a message carries those that went before it, and the slowest one counts. */
#include <mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OCTANTS = 8, WEST_EAST = 1, SOUTH_NORTH = 2 };

struct sweep {
    int px, py, nonblocking;                    /* grid of processes */
    int nx, ny, nz, block, angles, iterations;  /* cells of one of them */
    int x, y;                                   /* its place in the grid */
    double *flux, *below;                       /* of cells; of the plane before, per angle */
    double *west, *south, *east, *north;        /* fluxes of a block's faces, then steps */
    int faces_x, faces_y;                       /* how many fluxes cross them */
    double steps;
    long messages, bytes;
};

static double *numbers(size_t count)
{
    double *array = calloc(count, sizeof *array);
    if (!array) {
        fprintf(stderr, "error: there is no memory for %zu numbers\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return array;
}

/* Return the rank at (x, y), MPI_PROC_NULL outside of the grid. */
static int rank_at(const struct sweep *s, int x, int y)
{
    return x < 0 || x >= s->px || y < 0 || y >= s->py ? MPI_PROC_NULL : y * s->px + x;
}

static double positive(double flux)
{
    return flux > 0 ? flux : 0;
}

/* Compute the planes from `first` to before `last`: diamond differences with negative fluxes
   set to zero, cell by cell in the direction of the octant. */
static void compute(struct sweep *s, int first, int last, int dx, int dy)
{
#ifdef CELL_NS /* in a simulation: cells of one time, however fast and busy the machine is */
    usleep((useconds_t)(1e-3 * CELL_NS * s->angles * (last - first) * s->ny * s->nx + 0.5));
#endif
    const double mu = 0.5, eta = 0.3, xi = 0.4, inverse = 1 / (1 + mu + eta + xi);
    for (int a = 0; a < s->angles; a++)
        for (int k = first; k < last; k++)
            for (int j0 = 0; j0 < s->ny; j0++) {
                int j = dy > 0 ? j0 : s->ny - 1 - j0, plane = a * s->block + k - first;
                double *in_x = &s->west[plane * s->ny + j];
                for (int i0 = 0; i0 < s->nx; i0++) {
                    int i = dx > 0 ? i0 : s->nx - 1 - i0;
                    double *in_y = &s->south[plane * s->nx + i];
                    double *in_z = &s->below[(a * s->ny + j) * s->nx + i];
                    double phi = (1 + mu * *in_x + eta * *in_y + xi * *in_z) * inverse;
                    *in_x = positive(2 * phi - *in_x);
                    *in_y = positive(2 * phi - *in_y);
                    *in_z = positive(2 * phi - *in_z);
                    s->flux[(k * s->ny + j) * s->nx + i] += phi;
                }
            }
    s->steps++;
}

/* Wait for what enters, and for no earlier step than it knows of. */
static void receive(struct sweep *s, int west, int south)
{
    MPI_Request requests[2];
    if (s->nonblocking) {
        MPI_Irecv(s->west, s->faces_x + 1, MPI_DOUBLE, west, WEST_EAST, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Irecv(s->south, s->faces_y + 1, MPI_DOUBLE, south, SOUTH_NORTH, MPI_COMM_WORLD,
                  &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(s->west, s->faces_x + 1, MPI_DOUBLE, west, WEST_EAST, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Recv(s->south, s->faces_y + 1, MPI_DOUBLE, south, SOUTH_NORTH, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    if (west == MPI_PROC_NULL)
        memset(s->west, 0, sizeof(double) * (s->faces_x + 1));
    if (south == MPI_PROC_NULL)
        memset(s->south, 0, sizeof(double) * (s->faces_y + 1));
    s->steps = fmax(s->steps, fmax(s->west[s->faces_x], s->south[s->faces_y]));
}

/* Send what leaves; without blocking, from a copy that the next block does not touch. */
static void send(struct sweep *s, int east, int north, MPI_Request requests[2])
{
    s->west[s->faces_x] = s->south[s->faces_y] = s->steps;
    if (s->nonblocking) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        memcpy(s->east, s->west, sizeof(double) * (s->faces_x + 1));
        memcpy(s->north, s->south, sizeof(double) * (s->faces_y + 1));
        MPI_Isend(s->east, s->faces_x + 1, MPI_DOUBLE, east, WEST_EAST, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Isend(s->north, s->faces_y + 1, MPI_DOUBLE, north, SOUTH_NORTH, MPI_COMM_WORLD,
                  &requests[1]);
    } else {
        MPI_Send(s->west, s->faces_x + 1, MPI_DOUBLE, east, WEST_EAST, MPI_COMM_WORLD);
        MPI_Send(s->south, s->faces_y + 1, MPI_DOUBLE, north, SOUTH_NORTH, MPI_COMM_WORLD);
    }
    s->messages += (east != MPI_PROC_NULL) + (north != MPI_PROC_NULL);
    s->bytes += 8L * ((east != MPI_PROC_NULL) * (s->faces_x + 1)
                      + (north != MPI_PROC_NULL) * (s->faces_y + 1));
}

static void octant(struct sweep *s, int number)
{
    int dx = number & 2 ? -1 : 1, dy = number & 4 ? -1 : 1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    memset(s->below, 0, sizeof(double) * s->angles * s->nx * s->ny);
    for (int first = 0; first < s->nz; first += s->block) {
        int last = first + s->block < s->nz ? first + s->block : s->nz;
        receive(s, rank_at(s, s->x - dx, s->y), rank_at(s, s->x, s->y - dy));
        compute(s, first, last, dx, dy);
        send(s, rank_at(s, s->x + dx, s->y), rank_at(s, s->x, s->y + dy), requests);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Sweep all octants; return the sum of all fluxes. */
static double iterate(struct sweep *s)
{
    double sum = 0, total, latest;
    memset(s->flux, 0, sizeof(double) * s->nx * s->ny * s->nz);
    for (int number = 0; number < OCTANTS; number++)
        octant(s, number);
    for (int cell = 0; cell < s->nx * s->ny * s->nz; cell++)
        sum += s->flux[cell];
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&s->steps, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    s->steps = latest;
    return total;
}

static void report(const char *region, const char *metric, const char *unit, double value)
{
    printf("{\"region\": \"%s\", \"metric\": \"%s\", \"unit\": \"%s\", "
           "\"value\": %.12g, \"exact\": %s}\n", region, metric, unit, value,
           strcmp(unit, "1") ? "false" : "true");    /* counts do not scatter */
}

int main(int count, char **words)
{
    int rank, p;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    int given[9] = {0, 0, 0, 8, 8, 40, 10, 6, 1};
    for (int word = 1; word < count && word <= 9; word++)
        given[word - 1] = atoi(words[word]);
    struct sweep s = {.px = given[0], .py = given[1], .nx = given[3], .ny = given[4],
                      .nz = given[5], .block = given[6], .angles = given[7],
                      .iterations = given[8]};
    s.nonblocking = count > 3 && !strcmp(words[3], "nonblocking");
    for (int number = 3; number < 9; number++)
        if (given[number] < 1)
            s.px = 0;
    if (s.px < 1 || s.py < 1 || s.px * s.py != p) {
        if (!rank)
            fprintf(stderr, "error: %s x %s is no grid of %d processes, or no cells\n",
                    count > 1 ? words[1] : "?", count > 2 ? words[2] : "?", p);
        MPI_Finalize();
        return 2;
    }
    s.x = rank % s.px;
    s.y = rank / s.px;
    s.faces_x = s.angles * s.block * s.ny;
    s.faces_y = s.angles * s.block * s.nx;
    s.flux = numbers((size_t)s.nx * s.ny * s.nz);
    s.below = numbers((size_t)s.angles * s.nx * s.ny);
    s.west = numbers(s.faces_x + 1);
    s.east = numbers(s.faces_x + 1);
    s.south = numbers(s.faces_y + 1);
    s.north = numbers(s.faces_y + 1);

    double total = 0, slowest;
    long messages, bytes;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int iteration = 0; iteration < s.iterations; iteration++)
        total = iterate(&s);
    double took = MPI_Wtime() - start;
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&s.messages, &messages, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&s.bytes, &bytes, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank) {
        report("sweep", "time", "s", slowest / s.iterations);
        report("pipeline", "steps", "1", s.steps / s.iterations);
        report("exchange", "messages", "1", (double)messages / s.iterations);
        report("exchange", "bytes", "B", (double)bytes / s.iterations);
        fprintf(stderr, "flux %.12g\n", total);  /* the same whatever the mode */
    }
    MPI_Finalize();
    return 0;
}
