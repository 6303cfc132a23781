/* A small library of what codes are made of, to count its work as it changes. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stddef.h>

typedef struct {
    int rows;
    int *start;     /* of each row, and the end */
    int *column;
    double *value;
} matrix;

matrix *matrix_grid(int side);
void matrix_times(const matrix *a, const double *x, double *y);
void matrix_free(matrix *a);

void sort(double *values, int count);

typedef struct {
    int key, value, next;
} entry;

typedef struct {
    int size, used;
    int *first;     /* entry of each chain */
    entry *entries;
} table;

table *table_new(void);
void table_put(table *t, int key, int value);
int table_get(const table *t, int key);
void table_free(table *t);

typedef struct {
    int size;
    int *parent, *members;
} sets;

sets *sets_new(int size);
int sets_find(sets *s, int element);
void sets_join(sets *s, int one, int other);
void sets_free(sets *s);

int search(const char *text, size_t length, const char *word, size_t width);

void broadcast(double *value, int rank, int size);

#endif
