/* Put the library to work: `main serial N`, or `main parallel N` for the broadcast. */
#include "library.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double multiply(int side) {
    matrix *a = matrix_grid(side);
    double *x = malloc((size_t)a->rows * sizeof *x);
    double *y = malloc((size_t)a->rows * sizeof *y);
    double sum = 0;
    for (int i = 0; i < a->rows; i++)
        x[i] = i;
    matrix_times(a, x, y);
    for (int i = 0; i < a->rows; i++)
        sum += y[i];
    free(x);
    free(y);
    matrix_free(a);
    return sum;
}

static double order(int count) {
    double *values = malloc((size_t)count * sizeof *values), first;
    for (int i = 0; i < count; i++)
        values[i] = (double)((long)i * 7919 % count);
    sort(values, count);
    first = values[0];
    free(values);
    return first;
}

static int look_up(int count) {
    table *t = table_new();
    int sum = 0;
    for (int key = 0; key < count; key++)
        table_put(t, key, 2 * key);
    for (int key = 0; key < count; key++)
        sum += table_get(t, key) == 2 * key;
    table_free(t);
    return sum;
}

static int join_all(int count) {
    sets *s = sets_new(count);
    int root;
    for (int i = 1; i < count; i++)
        sets_join(s, i / 2, i);
    root = sets_find(s, count - 1);
    sets_free(s);
    return root;
}

static int find_words(int count) {
    char *text = malloc((size_t)count);
    int found;
    memset(text, 'a', (size_t)count);
    found = search(text, (size_t)count, "aab", 3);
    free(text);
    return found;
}

int main(int words, char **word) {
    int rank, size, count = words > 2 ? atoi(word[2]) : 64;
    double value = 0;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (words > 1 && strcmp(word[1], "parallel") == 0) {
        value = rank == 0 ? 42 : 0;
        broadcast(&value, rank, size);
    } else {
        value = multiply(count) + order(count) + look_up(count) + join_all(count)
                + find_words(count);
    }
    if (rank == 0)
        printf("%g\n", value);
    MPI_Finalize();
    return 0;
}
