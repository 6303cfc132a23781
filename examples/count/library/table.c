/* A hash table that doubles before its chains grow. */
#include "library.h"
#include <stdlib.h>

enum { SMALLEST = 4, NONE = -1 };

static void make_room(table *t, int size) {
    t->size = size;
    t->first = realloc(t->first, (size_t)size * sizeof *t->first);
    t->entries = realloc(t->entries, (size_t)size * sizeof *t->entries);
    for (int i = 0; i < size; i++)
        t->first[i] = NONE;
    for (int i = 0; i < t->used; i++) {
        int *first = &t->first[t->entries[i].key % size];
        t->entries[i].next = *first;
        *first = i;
    }
}

table *table_new(void) {
    table *t = calloc(1, sizeof *t);
    make_room(t, SMALLEST);
    return t;
}

void table_put(table *t, int key, int value) {
    if (t->used == t->size)
        make_room(t, 2 * t->size);
    int *first = &t->first[key % t->size];
    t->entries[t->used] = (entry){key, value, *first};
    *first = t->used++;
}

int table_get(const table *t, int key) {
    int i = t->first[key % t->size];
    for (; i != NONE; i = t->entries[i].next)
        if (t->entries[i].key == key)
            return t->entries[i].value;
    return NONE;
}

void table_free(table *t) {
    free(t->first);
    free(t->entries);
    free(t);
}
