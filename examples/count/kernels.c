/* Kernels whose work is known: each comment is what `scalewatch-agent count` finds. */
#include <stdio.h>
#include <stdlib.h>

static volatile long sink;

static void once(long n) { sink += n; }

static void logarithm(long n) { /* loop 1: log n */
    while (n > 1)
        n /= 2;
    sink += n;
}

static void root(long n) { /* loop 1: sqrt n */
    for (long i = 1; i * i <= n; i++)
        sink += i;
}

static void linear(long n) { /* loop 1: n */
    for (long i = 0; i < n; i++)
        sink += i;
}

static void but_one(long n) { /* loop 1: n - 1 */
    for (long i = 1; i < n; i++)
        sink += i;
}

static void affine(long n) { /* loop 1: 3 n + 7 */
    for (long i = 0; i < 3 * n + 7; i++)
        sink += i;
}

static void linearithmic(long n) { /* loop 2: n log n */
    for (long i = 0; i < n; i++)
        for (long j = n; j > 1; j /= 2)
            sink += j;
}

static void halves(long n) { /* loop 2: 2 n - 2 */
    for (long size = n; size > 1; size /= 2)
        for (long i = 0; i < size; i++)
            sink += i;
}

static void square(long n) { /* loop 2: n^2, in one line */
    for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) sink += j;
}

static void triangle(long n) { /* loop 2: n (n + 1) / 2 */
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            sink += j;
}

static void pairs(long n) { /* loop 2: n (n - 1) / 2 */
    for (long i = 0; i < n; i++)
        for (long j = i + 1; j < n; j++)
            sink += j;
}

static void border(long n) { /* loop 2: 4 n - 4 rounds that work; all begin: n^2 */
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
                continue;
            once(j); /* 4 n - 4 of the calls of `once` */
        }
}

static void square_log(long n) { /* loop 3: n^2 log n */
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = n; k > 1; k /= 2)
                sink += k;
}

static void cube(long n) { /* loop 3: n^3 */
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                sink += k;
}

static void tetrahedron(long n) { /* loop 3: n (n - 1) (n - 2) / 6 */
    for (long i = 0; i < n; i++)
        for (long j = 0; j < i; j++)
            for (long k = 0; k < j; k++)
                sink += k;
}

static void root_rows(long n) { /* loop 2: n sqrt n */
    for (long i = 0; i < n; i++)
        for (long j = 1; j * j <= n; j++)
            sink += j;
}

static void merge_sort(long n) { /* called 2 n - 1 times; loop 1: n log n */
    if (n > 1) {
        merge_sort(n / 2);
        merge_sort(n - n / 2);
        for (long i = 0; i < n; i++)
            sink += i;
    }
}

static void multiply(long n) { /* called (4 n^2 - 1) / 3 times, as blocks of matrices */
    if (n > 1)
        for (int block = 0; block < 4; block++)
            multiply(n / 2);
}

static void search(long n) { /* loop 1: n / 2 + 1, left by break */
    for (long i = 0; i < n; i++) {
        if (i == n / 2)
            break;
        sink += i;
    }
}

static void until(long n) { /* loop 1: n, begun at least once */
    do
        sink += n;
    while (--n > 0);
}

static void constant(long n) { /* loop 1: 64 */
    for (int i = 0; i < 64; i++)
        sink += n;
}

static void log_square(long n) { /* loop 2: log^2 n */
    for (long i = n; i > 1; i /= 2)
        for (long j = n; j > 1; j /= 2)
            sink += j;
}

static void fractions(long n) { /* loop 1: n / 4 */
    for (long i = 0; i < n / 4; i++)
        sink += i;
}

static void subsets(long n) { /* loop 1: 2^n */
    for (long chosen = 0; chosen < 1L << n; chosen++)
        sink += chosen;
}

static void towers(long n) { /* called 2^n - 1 times; of Hanoi */
    sink += n;
    if (n > 1)
        towers(n - 1), towers(n - 1);
}

static void quick(long n) {
    logarithm(n), log_square(n), root(n), linear(n), but_one(n), affine(n);
    linearithmic(n), halves(n), square(n), triangle(n), pairs(n), border(n);
    square_log(n), root_rows(n), merge_sort(n), multiply(n), search(n), until(n);
    constant(n), fractions(n);
}

static void cubic(long n) {
    cube(n), tetrahedron(n);
}

static void doubling(long n) {
    subsets(n), towers(n);
}

int main(int count, char **words) {
    long n = count > 2 ? atol(words[2]) : 0;
    if (n < 1) {
        fprintf(stderr, "usage: %s quick|cubic|doubling N\n", words[0]);
        return 2;
    }
    char kind = words[1][0];
    (kind == 'q' ? quick : kind == 'c' ? cubic : doubling)(n);
    printf("%ld\n", sink);
    return 0;
}
