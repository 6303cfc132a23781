/* Requests that are open: by handle, since waiting resets handles.
 *
 * Libraries hand out one handle for several requests that are complete from the beginning, and
 * a handle again as soon as one thread has waited for it, before that is noted here.  So a
 * handle can stand here more than once: a thread takes its own request first, then the oldest. */

enum { SENDING, RECEIVING, OTHER };

struct open_request {
    MPI_Request handle;
    const struct thread *owner;  /* that has begun it */
    uint64_t bytes;
    uint32_t number;             /* 0: a persistent request that has not been started */
    uint32_t communicator;
    int32_t peer, tag;
    uint8_t kind, is_persistent, is_used;
};

static inline uint32_t home(const struct process *process, MPI_Request handle)
{
    return (uint32_t)(mixed((uint64_t)(uintptr_t)handle) >> 32) & (process->open_size - 1);
}

static void insert(struct process *process, struct open_request request)
{
    uint32_t at = home(process, request.handle);
    while (process->open[at].is_used) at = (at + 1) & (process->open_size - 1);
    request.is_used = 1;
    process->open[at] = request;
    process->open_count++;
}

static int grown(struct process *process)
{
    struct open_request *old = process->open;
    uint32_t size = process->open_size, larger = size ? 2 * size : 1024;
    struct open_request *table = calloc(larger, sizeof *table);
    if (!table) return 0;
    process->open = table;
    process->open_size = larger;
    process->open_count = 0;
    for (uint32_t at = 0; at < size; at++) if (old[at].is_used) insert(process, old[at]);
    free(old);
    return 1;
}

/* Remember a request; return its number, 0 if it is never waited for. */
static uint32_t opened(const struct thread *thread, struct open_request request)
{
    struct process *process = thread->process;
    uint32_t number = 0;
    if (request.handle == MPI_REQUEST_NULL) return 0;
    locked();
    if (2 * process->open_count < process->open_size || grown(process)) {
        if (!request.is_persistent) request.number = number = ++process->requests;
        request.owner = thread;
        insert(process, request);
    }
    unlocked();
    return number;
}

static struct open_request *look_up(const struct thread *thread, MPI_Request handle)
{
    struct process *process = thread->process;
    struct open_request *oldest = NULL;
    if (!process->open_size) return NULL;
    for (uint32_t at = home(process, handle); process->open[at].is_used; at = (at + 1) & (process->open_size - 1)) {
        if (process->open[at].handle != handle) continue;
        if (process->open[at].owner == thread) return &process->open[at];
        if (!oldest) oldest = &process->open[at];
    }
    return oldest;
}

/* Close the gap, so that no later request of the same home becomes unfindable. */
static void removed(struct process *process, struct open_request *request)
{
    uint32_t mask = process->open_size - 1, gap = (uint32_t)(request - process->open), at = gap;
    for (;;) {
        at = (at + 1) & mask;
        if (!process->open[at].is_used) break;
        uint32_t wanted = home(process, process->open[at].handle);
        if (((at - wanted) & mask) < ((at - gap) & mask)) continue;
        process->open[gap] = process->open[at];
        gap = at;
    }
    process->open[gap].is_used = 0;
    process->open_count--;
}

/* Take a request that has been completed; its number is 0 if nobody knows it. */
static struct open_request taken(const struct thread *thread, MPI_Request handle)
{
    struct open_request found = {0};
    locked();
    struct open_request *open = look_up(thread, handle);
    if (open) {
        found = *open;
        if (open->is_persistent) open->number = 0;
        else removed(thread->process, open);
    }
    unlocked();
    return found;
}

static struct open_request started(const struct thread *thread, MPI_Request handle)
{
    struct open_request found = {0};
    locked();
    struct open_request *open = look_up(thread, handle);
    if (open && open->is_persistent) {
        open->number = ++thread->process->requests;
        found = *open;
    }
    unlocked();
    return found;
}

static void forgotten(const struct thread *thread, MPI_Request handle)
{
    locked();
    struct open_request *open = look_up(thread, handle);
    if (open) removed(thread->process, open);
    unlocked();
}
