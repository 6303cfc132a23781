/* The kernels of the OpenMP suite, on as many threads as OMP_NUM_THREADS says.

     kernels compiler                       what compiled it: a name and a version
     kernels stream ELEMENTS REPETITIONS    bandwidth in B/s, after STREAM
     kernels overheads REPETITIONS          seconds of each construct, after EPCC
     kernels cg WIDTH REPETITIONS           seconds of an iteration on WIDTH² points

   Otherwise a line of output is the name of a region with a value per repetition, but
   for the first one, `threads`, which holds the size of the team.

   J. D. McCalpin, Memory Bandwidth and Machine Balance in Current High Performance
   Computers, IEEE TCCA Newsletter, 1995.
   J. M. Bull, Measuring Synchronisation and Scheduling Overheads in OpenMP, EWOMP 1999. */

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _OPENMP
#error "the compiler leaves OpenMP out"
#endif

#define TEXT(number) #number
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

#if defined(__INTEL_LLVM_COMPILER)
#define COMPILER "icx " VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#elif defined(__clang__)
#define COMPILER "clang " VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#else
#define COMPILER "cc 0"
#endif

#define TARGET 1e-3 /* seconds of a repetition, far above the clock's resolution */
#define DELAY 1e-7  /* seconds of work in a construct, as in EPCC's suite */
#define WARM_UPS 3  /* iterations of CG that do not count */
#define LINE 64     /* bytes */

static int threads;

static void show(const char *region, const double *values, long count)
{
    printf("%s", region);
    for (long i = 0; i < count; i++)
        printf(" %.9e", values[i]);
    printf("\n");
    fflush(stdout);
}

static double *doubles(size_t count)
{
    size_t bytes = (count * sizeof(double) + LINE - 1) / LINE * LINE;
    double *memory = aligned_alloc(LINE, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(3);
    }
    return memory;
}

/* STREAM. With this factor a repetition leaves `a` as it was, however many there are:
   s a + s (a + s a) = a. */

static const double factor = 0.41421356237309504880;

static void stream(long n, long repetitions)
{
    const char *names[] = {"copy", "scale", "add", "triad"};
    const int streams[] = {2, 2, 3, 3};
    double *a = doubles(n), *b = doubles(n), *c = doubles(n), *rates[4];
    for (int k = 0; k < 4; k++)
        rates[k] = doubles(repetitions);
#pragma omp parallel for schedule(static) /* pages lie where they are used */
    for (long i = 0; i < n; i++) {
        a[i] = 1;
        b[i] = 2;
        c[i] = 0;
    }
    for (long r = -1; r < repetitions; r++) { /* the first one pays for the pages */
        double times[5];
        times[0] = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            c[i] = a[i];
        times[1] = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            b[i] = factor * c[i];
        times[2] = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        times[3] = omp_get_wtime();
#pragma omp parallel for schedule(static)
        for (long i = 0; i < n; i++)
            a[i] = b[i] + factor * c[i];
        times[4] = omp_get_wtime();
        for (int k = 0; r >= 0 && k < 4; k++)
            rates[k][r] = streams[k] * sizeof(double) * n / (times[k + 1] - times[k]);
    }
    double wrong = 0;
#pragma omp parallel for reduction(max : wrong)
    for (long i = 0; i < n; i++)
        wrong = fmax(wrong, fabs(a[i] - 1) + fabs(b[i] - factor)
                                + fabs(c[i] - 1 - factor));
    if (!(wrong < 1e-9)) {
        fprintf(stderr, "wrong results of STREAM, by %g\n", wrong);
        exit(4);
    }
    for (int k = 0; k < 4; k++)
        show(names[k], rates[k], repetitions);
}

/* Overheads of constructs: rounds with the construct, less as many without it. */

static long length = 1;

static inline void delay(void)
{
    for (long i = 0; i < length; i++)
        __asm__ volatile("" ::: "memory");
}

static void reference(long rounds)
{
    for (long j = 0; j < rounds; j++)
        delay();
}

static void parallel(long rounds)
{
    for (long j = 0; j < rounds; j++) {
#pragma omp parallel
        delay();
    }
}

static void shared_loop(long rounds)
{
#pragma omp parallel
    for (long j = 0; j < rounds; j++) {
#pragma omp for
        for (int i = 0; i < threads; i++)
            delay();
    }
}

static void barrier(long rounds)
{
#pragma omp parallel
    for (long j = 0; j < rounds; j++) {
        delay();
#pragma omp barrier
    }
}

static double sum;

static void reduction(long rounds)
{
    for (long j = 0; j < rounds; j++) {
        double part = 0;
#pragma omp parallel reduction(+ : part)
        {
            delay();
            part += 1;
        }
        sum += part;
    }
}

static void single(long rounds)
{
#pragma omp parallel
    for (long j = 0; j < rounds; j++) {
#pragma omp single
        delay();
    }
}

/* One thread at a time: together they enter as often as there are rounds. */
static void critical(long rounds)
{
#pragma omp parallel
    for (long j = 0; j < rounds / threads; j++) {
#pragma omp critical
        delay();
    }
}

/* Every thread creates as many tasks as there are rounds, and the team executes them. */
static void task(long rounds)
{
#pragma omp parallel
    for (long j = 0; j < rounds; j++) {
#pragma omp task
        delay();
    }
}

static double timed(void (*construct)(long), long rounds)
{
    double start = omp_get_wtime();
    construct(rounds);
    return omp_get_wtime() - start;
}

static void overheads(long repetitions)
{
    const struct {
        const char *name;
        void (*construct)(long);
    } constructs[] = {{"parallel", parallel},   {"for", shared_loop},
                      {"barrier", barrier},     {"reduction", reduction},
                      {"single", single},       {"critical", critical},
                      {"task", task}};
    double *values = doubles(repetitions);
    while (timed(reference, 1000) < 1000 * DELAY)
        length = length * 5 / 4 + 1;
    for (size_t k = 0; k < sizeof constructs / sizeof *constructs; k++) {
        long rounds = threads; /* a multiple of it, as `critical` needs */
        while (timed(constructs[k].construct, rounds) < TARGET)
            rounds *= 2;
        for (long r = 0; r < repetitions; r++) {
            double less = timed(reference, rounds);
            values[r] = (timed(constructs[k].construct, rounds) - less) / rounds;
        }
        show(constructs[k].name, values, repetitions);
    }
}

/* Conjugate gradients for the five-point Laplacian on a square with zeros around it. An
   iteration reads or writes 13 numbers a point in four parallel loops, of which two end
   in a reduction. */

static double product(const double *u, const double *v, long n)
{
    double result = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : result)
    for (long i = 0; i < n; i++)
        result += u[i] * v[i];
    return result;
}

static void multiply(const double *p, double *q, long width)
{
    const long row = width + 2;
#pragma omp parallel for schedule(static)
    for (long j = 1; j <= width; j++)
        for (long i = j * row + 1; i <= j * row + width; i++)
            q[i] = 4 * p[i] - p[i - 1] - p[i + 1] - p[i - row] - p[i + row];
}

static double advance(double *x, double *r, const double *p, const double *q,
                      double step, long n)
{
    double squares = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : squares)
    for (long i = 0; i < n; i++) {
        x[i] += step * p[i];
        r[i] -= step * q[i];
        squares += r[i] * r[i];
    }
    return squares;
}

static void turn(double *p, const double *r, double share, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        p[i] = r[i] + share * p[i];
}

/* The right side: numbers from -0.5 to 0.5 without an order, and zeros around them. */
static double right_side(long i, long j, long width)
{
    if (!i || !j || i > width || j > width)
        return 0;
    return (double)((j * 7919 + i * 104729) % 1000) / 999 - 0.5;
}

static void conjugate_gradients(long width, long repetitions)
{
    const long row = width + 2, n = row * row;
    double *x = doubles(n), *r = doubles(n), *p = doubles(n), *q = doubles(n);
    double *times = doubles(repetitions);
#pragma omp parallel for schedule(static)
    for (long j = 0; j < row; j++)
        for (long i = 0; i < row; i++) {
            x[j * row + i] = q[j * row + i] = 0;
            r[j * row + i] = p[j * row + i] = right_side(i, j, width);
        }
    double squares = product(r, r, n);
    for (long k = -WARM_UPS; k < repetitions; k++) {
        double start = omp_get_wtime();
        multiply(p, q, width);
        double step = squares / product(p, q, n);
        double next = advance(x, r, p, q, step, n);
        turn(p, r, next / squares, n);
        squares = next;
        if (k >= 0)
            times[k] = omp_get_wtime() - start;
    }
    double wrong = 0; /* between the residual and what it has become by steps */
    multiply(x, q, width);
#pragma omp parallel for reduction(max : wrong)
    for (long j = 0; j < row; j++)
        for (long i = 0; i < row; i++) {
            long k = j * row + i;
            wrong = fmax(wrong, fabs(right_side(i, j, width) - q[k] - r[k]));
        }
    if (!(wrong < 1e-9)) {
        fprintf(stderr, "wrong results of CG, by %g\n", wrong);
        exit(4);
    }
    show("cg", times, repetitions);
}

int main(int count, char **words)
{
    if (count == 2 && !strcmp(words[1], "compiler")) {
        printf("%s\n", COMPILER);
        return 0;
    }
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    double team = threads;
    show("threads", &team, 1);
    if (count == 4 && !strcmp(words[1], "stream"))
        stream(atol(words[2]), atol(words[3]));
    else if (count == 3 && !strcmp(words[1], "overheads"))
        overheads(atol(words[2]));
    else if (count == 4 && !strcmp(words[1], "cg"))
        conjugate_gradients(atol(words[2]), atol(words[3]));
    else {
        fprintf(stderr, "compiler, stream, overheads or cg is expected\n");
        return 2;
    }
    return 0;
}
