/* Disjoint sets: the smaller one joins the larger. */
#include "library.h"
#include <stdlib.h>

sets *sets_new(int size) {
    sets *s = malloc(sizeof *s);
    s->size = size;
    s->parent = malloc((size_t)size * sizeof *s->parent);
    s->members = malloc((size_t)size * sizeof *s->members);
    for (int i = 0; i < size; i++) {
        s->parent[i] = i;
        s->members[i] = 1;
    }
    return s;
}

int sets_find(sets *s, int element) {
    while (s->parent[element] != element)
        element = s->parent[element];
    return element;
}

void sets_join(sets *s, int one, int other) {
    one = sets_find(s, one);
    other = sets_find(s, other);
    if (one == other)
        return;
    if (s->members[one] < s->members[other]) {
        int swap = one;
        one = other;
        other = swap;
    }
    s->parent[other] = one;
    s->members[one] += s->members[other];
}

void sets_free(sets *s) {
    free(s->parent);
    free(s->members);
    free(s);
}
