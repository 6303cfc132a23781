/* A sparse matrix in compressed rows: five points on a square grid. */
#include "library.h"
#include <stdlib.h>

static int neighbours(int side, int row, int column, int found[5]) {
    int count = 0;
    if (row > 0)
        found[count++] = (row - 1) * side + column;
    if (column > 0)
        found[count++] = row * side + column - 1;
    found[count++] = row * side + column;
    if (column < side - 1)
        found[count++] = row * side + column + 1;
    if (row < side - 1)
        found[count++] = (row + 1) * side + column;
    return count;
}

matrix *matrix_grid(int side) {
    matrix *a = malloc(sizeof *a);
    int entries = 0;
    a->rows = side * side;
    a->start = malloc((size_t)(a->rows + 1) * sizeof *a->start);
    a->column = malloc(5 * (size_t)a->rows * sizeof *a->column);
    a->value = malloc(5 * (size_t)a->rows * sizeof *a->value);
    for (int row = 0; row < side; row++) {
        for (int column = 0; column < side; column++) {
            int found[5], here = row * side + column;
            int count = neighbours(side, row, column, found);
            a->start[here] = entries;
            for (int k = 0; k < count; k++) {
                a->column[entries] = found[k];
                a->value[entries++] = found[k] == here ? 4.0 : -1.0;
            }
        }
    }
    a->start[a->rows] = entries;
    return a;
}

void matrix_times(const matrix *a, const double *x, double *y) {
    for (int row = 0; row < a->rows; row++) {
        double sum = 0;
        for (int k = a->start[row]; k < a->start[row + 1]; k++)
            sum += a->value[k] * x[a->column[k]];
        y[row] = sum;
    }
}

void matrix_free(matrix *a) {
    free(a->start);
    free(a->column);
    free(a->value);
    free(a);
}
