/* Merge sort, from the leaves up. */
#include "library.h"
#include <stdlib.h>
#include <string.h>

static void merge(const double *from, double *to, int low, int middle, int high) {
    int left = low, right = middle;
    for (int place = low; place < high; place++) {
        if (left < middle && (right >= high || from[left] <= from[right]))
            to[place] = from[left++];
        else
            to[place] = from[right++];
    }
}

void sort(double *values, int count) {
    double *from = values, *to = malloc((size_t)count * sizeof *to);
    double *spare = to;
    for (int width = 1; width < count; width *= 2) {
        for (int low = 0; low < count; low += 2 * width) {
            int middle = low + width < count ? low + width : count;
            int high = low + 2 * width < count ? low + 2 * width : count;
            merge(from, to, low, middle, high);
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != values)
        memcpy(values, from, (size_t)count * sizeof *values);
    free(spare);
}
