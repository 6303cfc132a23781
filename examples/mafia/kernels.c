/* The four kernels of MAFIA.
 *
 * A unit is the set of its bins, one bit each in a word.  Each kernel adds the seconds it took,
 * by the clock that is asked for, to `took`.  Those that make units return how many, -1 where
 * there is no memory, and the caller releases them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t word;
typedef uint16_t place; /* of a unit in lists: dimension and bin */

struct entry {
    word key, value;
};

static double seconds(int clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Call `body` with each bin of a unit. */
#define EACH_BIN(unit, bin, body)                                \
    for (word left_ = (unit); left_; left_ &= left_ - 1) {       \
        int bin = __builtin_ctzll(left_);                        \
        body;                                                    \
    }

/* Merge two sorted halves; equal keys keep their order. */
static void merge(const struct entry *a, long middle, long n, struct entry *merged)
{
    long left = 0, right = middle;
    for (long k = 0; k < n; k++)
        if (left < middle && (right >= n || a[left].key <= a[right].key))
            merged[k] = a[left++];
        else
            merged[k] = a[right++];
}

/* Sort what both hold into `sorted`, halves first: those that a cache holds stay there. */
static void sort_into(struct entry *sorted, struct entry *a, long n)
{
    if (n < 2)
        return;
    sort_into(a, sorted, n / 2);
    sort_into(a + n / 2, sorted + n / 2, n - n / 2);
    merge(a, n / 2, n, sorted);
}

/* Sort by keys in n log n steps; `spare` has room for as many. */
static void sort(struct entry *a, struct entry *spare, long n)
{
    memcpy(spare, a, sizeof *a * n);
    sort_into(a, spare, n);
}

/* Return each unit without each of its bins, sorted; the value tells unit and bin. */
static struct entry *subsets(const word *units, long n, long *count)
{
    long all = 0;
    *count = n * (n ? __builtin_popcountll(units[0]) : 0);
    struct entry *made = malloc(sizeof *made * (2 * *count + 1));
    if (!made)
        return NULL;
    for (long unit = 0; unit < n; unit++)
        EACH_BIN(units[unit], bin, {
            made[all].key = units[unit] & ~((word)1 << bin);
            made[all++].value = (word)unit << 6 | bin;
        })
    sort(made, made + *count, *count);
    return made;
}

void release(void *made)
{
    free(made);
}

/* Generation: join all pairs of units that differ in one bin. */
long generate(const word *units, long n, word **joined, int clock, double *took)
{
    double start = seconds(clock);
    long count, made = 0, first, last;
    struct entry *by_rest = subsets(units, n, &count);
    *joined = NULL;
    if (!by_rest)
        return -1;
    for (int pass = 0; pass < 2; pass++) {      /* count them, then write them */
        made = 0;
        for (first = 0; first < count; first = last) {
            for (last = first; last < count && by_rest[last].key == by_rest[first].key; last++)
                ;
            if (!pass) {
                made += (last - first) * (last - first - 1) / 2;
                continue;
            }
            for (long a = first; a < last; a++)
                for (long b = a + 1; b < last; b++)
                    (*joined)[made++] = units[by_rest[a].value >> 6]
                        | (word)1 << (by_rest[b].value & 63);
        }
        if (!pass && !(*joined = malloc(sizeof **joined * (made + 1))))
            break;
    }
    free(by_rest);
    *took += seconds(clock) - start;
    return *joined ? made : -1;
}

static int is_after(const place *list, const place *other, int level)
{
    for (int k = 0; k < level; k++)
        if (list[k] != other[k])
            return list[k] > other[k];
    return 0;
}

/* Sort lists that both hold into `sorted`, halves first: those that a cache holds stay there. */
static void sort_lists(place *sorted, place *lists, long n, int level)
{
    long middle = n / 2, left = 0, right = middle;
    if (n < 2)
        return;
    sort_lists(lists, sorted, middle, level);
    sort_lists(lists + middle * level, sorted + middle * level, n - middle, level);
    for (long k = 0; k < n; k++) {
        const place *first = lists + left * level, *second = lists + right * level;
        int is_first = right == n || (left < middle && !is_after(first, second, level));
        for (int each = 0; each < level; each++)
            sorted[k * level + each] = (is_first ? first : second)[each];
        left += is_first;
        right += !is_first;
    }
}

/* Return the unit of a list, empty where two places are of one dimension. */
static word unit_of(const place *list, int level)
{
    word unit = 0;
    for (int k = 0; k < level; k++) {
        if (k && list[k] >> 8 == list[k - 1] >> 8)
            return 0;
        unit |= (word)1 << (list[k] & 63);
    }
    return unit;
}

/* Deduplication: sort candidates as lists of places, and keep each once that has no two of a
   dimension. */
long deduplicate(const word *candidates, long n, const unsigned char *dimensions,
                 word **distinct, int clock, double *took)
{
    double start = seconds(clock);
    int level = n ? __builtin_popcountll(candidates[0]) : 0;
    size_t size = sizeof(place) * (n * level + 1);
    place *lists = malloc(size), *spare = malloc(size);
    long kept = -1;
    *distinct = malloc(sizeof **distinct * (n + 1));
    if (lists && spare && *distinct) {
        place *next = lists;
        for (long k = 0; k < n; k++)
            EACH_BIN(candidates[k], bin, *next++ = dimensions[bin] << 8 | bin)
        memcpy(spare, lists, size - sizeof(place));
        sort_lists(lists, spare, n, level);
        kept = 0;
        for (long k = 0; k < n; k++) {
            word unit = unit_of(lists + k * level, level);
            if (unit && (!kept || unit != (*distinct)[kept - 1]))
                (*distinct)[kept++] = unit;
        }
    }
    free(lists);
    free(spare);
    *took += seconds(clock) - start;
    return kept;
}

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define COUNTS_BITS
#endif

/* Population count: how many points lie in all bins of each unit; return how many units.  A
   bin's bitmap has a bit for each point; `both` has room for one. */
COUNTS_BITS
long count_points(const word *units, long n, const word *bitmaps, long length, word *both,
                  int64_t *counts, int clock, double *took)
{
    double start = seconds(clock);
    for (long unit = 0; unit < n; unit++) {
        const word *first = NULL;
        EACH_BIN(units[unit], bin, {
            const word *in_bin = bitmaps + bin * length;
            if (!first)
                first = in_bin;
            else
                for (long k = 0; k < length; k++)
                    both[k] = first[k] & in_bin[k];
            first = first == in_bin ? first : both;
        })
        counts[unit] = 0;
        for (long k = 0; k < length; k++)
            counts[unit] += __builtin_popcountll(first[k]);
    }
    *took += seconds(clock) - start;
    return n;
}

/* Unjoin: mark the units that one of the dense units of the next level contains; return how
   many of these contain another. */
long unjoin(const word *units, long n, const word *dense, long denser, unsigned char *absorbed,
            int clock, double *took)
{
    double start = seconds(clock);
    long count;
    struct entry *parts = subsets(dense, denser, &count);
    if (!parts)
        return -1;
    for (long unit = 0; unit < n; unit++) {
        long low = 0, high = count;
        while (low < high) {
            long middle = (low + high) / 2;
            if (parts[middle].key < units[unit])
                low = middle + 1;
            else
                high = middle;
        }
        absorbed[unit] = low < count && parts[low].key == units[unit];
    }
    free(parts);
    *took += seconds(clock) - start;
    return count;
}
