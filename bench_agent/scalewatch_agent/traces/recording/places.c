/* Places in the source from which MPI is called: return addresses, numbered when first seen.
 *
 * A chain of callers costs no more than reading two words each where they keep frame pointers;
 * it ends where these leave the stack. */

#ifdef SIMULATED
enum { PLACE_BITS = 18 };        /* each process has a copy of the program */
#else
enum { PLACE_BITS = 15 };
#endif
enum { PLACES = 1 << PLACE_BITS };   /* three quarters of them are told apart; others are unknown */

struct place {
    uint64_t key;                /* 0: free */
    uint32_t site;
};
static struct place places[PLACES];
static uint32_t place_count;

static inline uint64_t mixed(uint64_t key) { return key * 0x9E3779B97F4A7C15ull; }

static inline struct place *place_of(uint64_t key)
{
    for (uint64_t at = mixed(key) >> (64 - PLACE_BITS);; at = (at + 1) & (PLACES - 1)) {
        uint64_t seen = __atomic_load_n(&places[at].key, __ATOMIC_ACQUIRE);
        if (seen == key || !seen) return &places[at];
    }
}

/* Describe an address by the object it lies in, which is loaded elsewhere next time. */
static int described(char *text, size_t size, const void *address)
{
    Dl_info object;
    struct link_map *map = NULL;
    if (!dladdr1(address, &object, (void **)&map, RTLD_DL_LINKMAP) || !object.dli_fname) return 0;
    char *path = realpath(object.dli_fname, NULL);   /* the program may go elsewhere */
    const char *base = map ? (const char *)map->l_addr : (const char *)object.dli_fbase;
    int length = snprintf(text, size, "\t%lx\t%s\t%s",
                          (unsigned long)((const char *)address - base),
                          object.dli_sname ? object.dli_sname : "", path ? path : object.dli_fname);
    free(path);
    return length > 0 && (size_t)length < size ? length : 0;
}

static uint32_t new_place(struct process *process, uint64_t key, void *const *frames, int count)
{
    char text[LONGEST_PATH * 2];
    size_t used = 0;
    text[0] = 0;
    for (int at = 0; at < count; at++) used += (size_t)described(text + used, sizeof text - used, frames[at]);
    pthread_mutex_lock(&lock);
    struct place *place = place_of(key);
    uint32_t site = place->site;
    if (!place->key) {
        site = place_count < PLACES - PLACES / 4 ? ++place_count : 0;
        if (site) {
            place->site = site;
            __atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&lock);
    if (site) define(process, "site\t%u%s\n", site, text);
    return site;
}

#ifdef SIMULATED
/* Each process has its own numbers, and its own copy of the program. */
static uint32_t site_of(struct thread *thread, void *address, uintptr_t frame)
{
    void *frames[1] = {address};
    (void)frame;
    uint64_t key = (uint64_t)(uintptr_t)address ^ mixed((uint64_t)thread->process->rank);
    struct place *place = place_of(key);
    return place->key ? place->site : new_place(thread->process, key, frames, 1);
}
#else
static int callers(const struct thread *thread, void *first, uintptr_t frame, void **frames)
{
    int count = 0;
    frames[count++] = first;
    uintptr_t chain = *(uintptr_t *)frame;
    while (count <= depth) {
        if (chain <= frame || chain & 7 || chain < thread->stack_begin
            || chain + 2 * sizeof chain > thread->stack_end) break;
        frames[count++] = ((void **)chain)[1];
        frame = chain;
        chain = *(uintptr_t *)frame;
    }
    return count;
}

static uint32_t python_site(struct thread *thread);

static inline uint32_t site_of(struct thread *thread, void *address, uintptr_t frame)
{
    uint32_t site = python_site(thread);
    if (site) return site;
    void *frames[MOST_DEPTH + 1] = {address};
    uint64_t key = (uint64_t)(uintptr_t)address;
    int count = 1;
    if (depth) {
        count = callers(thread, address, frame, frames);
        for (int at = 1; at < count; at++) key = mixed(key) ^ (uint64_t)(uintptr_t)frames[at];
        key |= 1;
    }
    struct place *place = place_of(key);
    return place->key == key ? place->site : new_place(thread->process, key, frames, count);
}
#endif
