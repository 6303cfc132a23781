/* Communicators, numbered in the order in which a process comes to know them.
 *
 * Their members are written down as ranks in MPI_COMM_WORLD: the reader finds out which numbers
 * of different processes mean the same one, the k-th communicator with the same members. */

struct communicator {
    uint32_t number;
    int rank, size;
};

#ifdef SIMULATED
/* Processes share the objects of communicators there, and so what is attached to them. */
struct met_here {
    struct met_here *next;
    MPI_Comm handle;
    struct communicator known;
};
#endif

static int communicator_key = MPI_KEYVAL_INVALID;
static uint32_t generation = 1;  /* changes whenever a communicator is freed */

static int forget_communicator(MPI_Comm communicator, int key, void *known, void *extra)
{
    (void)communicator, (void)key, (void)extra;
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
    free(known);
    return MPI_SUCCESS;
}

/* Write ranks as runs: first, how many, and the distance between two. */
static void define_members(struct process *process, uint32_t number, const int *ranks, int count, const char *kind)
{
    size_t size = 64 + (size_t)count * 36, used;
    char *text = malloc(size);
    if (!text) return;
    used = (size_t)snprintf(text, size, "%s\t%u\t", kind, number);
    for (int at = 0, run; at < count; at += run) {
        int step = at + 1 < count ? ranks[at + 1] - ranks[at] : 1;
        for (run = 1; at + run < count && ranks[at + run] - ranks[at + run - 1] == step; run++) {}
        used += (size_t)snprintf(text + used, size - used, "%s%d:%d:%d", at ? "," : "", ranks[at], run, step);
    }
    define(process, "%s\n", text);
    free(text);
}

static void define_group(struct process *process, uint32_t number, MPI_Group group, const char *kind)
{
    MPI_Group world;
    int count = 0;
    PMPI_Group_size(group, &count);
    int *ranks = malloc(2 * (size_t)(count ? count : 1) * sizeof *ranks);
    if (!ranks) return;
    for (int at = 0; at < count; at++) ranks[count + at] = at;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, count, ranks + count, world, ranks);
    PMPI_Group_free(&world);
    define_members(process, number, ranks, count, kind);
    free(ranks);
}

/* Return what a process knows of a communicator, NULL if nothing yet. */
static struct communicator *attached(struct process *process, MPI_Comm communicator)
{
#ifdef SIMULATED
    for (struct met_here *met = process->met; met; met = met->next)
        if (met->handle == communicator) return &met->known;
    return NULL;
#else
    struct communicator *known = NULL;
    int is_known = 0;
    (void)process;
    PMPI_Comm_get_attr(communicator, communicator_key, &known, &is_known);
    return is_known ? known : NULL;
#endif
}

static struct communicator *attach(struct process *process, MPI_Comm communicator)
{
#ifdef SIMULATED
    struct met_here *met = calloc(1, sizeof *met);
    if (!met) return NULL;
    met->handle = communicator;
    met->next = process->met;
    process->met = met;
    return &met->known;
#else
    struct communicator *known = malloc(sizeof *known);
    (void)process;
    if (known) PMPI_Comm_set_attr(communicator, communicator_key, known);
    return known;
#endif
}

/* Forget a communicator that has been freed; its handle may come to mean another one. */
static void detach(struct process *process, MPI_Comm communicator)
{
#ifdef SIMULATED
    for (struct met_here **met = &process->met; *met; met = &(*met)->next) {
        struct met_here *freed = *met;
        if (freed->handle != communicator) continue;
        *met = freed->next;
        free(freed);
        generation++;
        return;
    }
#else
    (void)process, (void)communicator;       /* its attribute has gone with it */
#endif
}

static struct communicator *met(struct process *process, MPI_Comm communicator)
{
    struct communicator *known = attach(process, communicator);
    int is_between = 0;
    MPI_Group group;
    if (!known) return NULL;
    known->number = __atomic_fetch_add(&process->communicators, 1, __ATOMIC_RELAXED);
    PMPI_Comm_rank(communicator, &known->rank);
    PMPI_Comm_size(communicator, &known->size);
    PMPI_Comm_group(communicator, &group);
    define_group(process, known->number, group, "comm");
    PMPI_Group_free(&group);
    PMPI_Comm_test_inter(communicator, &is_between);
    if (is_between) {
        PMPI_Comm_remote_group(communicator, &group);
        define_group(process, known->number, group, "remote");
        PMPI_Group_free(&group);
    }
    return known;
}

static const struct communicator nowhere;

static inline const struct communicator *known_as(struct thread *thread, MPI_Comm communicator)
{
    uint32_t current = __atomic_load_n(&generation, __ATOMIC_RELAXED);
    if (thread->known && thread->last == communicator && thread->generation == current) return thread->known;
    if (communicator == MPI_COMM_NULL) return &nowhere;
    struct communicator *known = attached(thread->process, communicator);
    if (!known) known = met(thread->process, communicator);
    thread->last = communicator;
    thread->known = known;
    thread->generation = current;
    return known ? known : &nowhere;
}
