/* How many operations this host does in a second, in a loop as scientific codes have them:
   a stencil on an array that the nearest cache holds.  Prints the best of many rounds. */
#include <stdio.h>
#include <time.h>

#define N 2048
#define SWEEPS 1000
#define ROUNDS 100

/* Of the processor, as SMPI counts them: other programs that take turns cost nothing. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void)
{
    static double a[N + 2], b[N + 2];
    double best = 1e30;
    for (int i = 0; i < N + 2; i++)
        a[i] = b[i] = i % 7;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int i = 1; i <= N; i++)
                b[i] = 0.25 * a[i - 1] + 0.5 * a[i] + 0.25 * a[i + 1];
            for (int i = 1; i <= N; i++)
                a[i] = 0.25 * b[i - 1] + 0.5 * b[i] + 0.25 * b[i + 1];
        }
        double took = seconds() - start;
        best = took < best ? took : best;
    }
    /* The sum keeps the compiler from leaving the loop out. */
    fprintf(stderr, "%g\n", a[N / 2]);
    printf("%.6g\n", 5.0 * 2 * N * SWEEPS / best);
    return 0;
}
