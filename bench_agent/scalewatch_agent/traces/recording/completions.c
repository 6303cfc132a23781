/* Calls that take handles which they then reset: of requests above all. */

#define ENTER(call) \
    struct thread *thread = entered(); \
    if (!thread) return call; \
    uint32_t site = site_of(thread, __builtin_return_address(0), (uintptr_t)__builtin_frame_address(0))

static inline MPI_Status *own_status(MPI_Status *status, MPI_Status *own)
{
    return status == MPI_STATUS_IGNORE ? own : status;
}

int MPI_Comm_free(MPI_Comm *communicator)
{
    ENTER(PMPI_Comm_free(communicator));
    MPI_Comm handle = *communicator;
    uint64_t start = now();
    int code = PMPI_Comm_free(communicator);
    note(thread, F_Comm_free, start, now(), site);
    detach(thread->process, handle);
    left(thread);
    return code;
}

/* Copies of handles, and statuses behind them where the caller wants none. */
struct saved {
    MPI_Request *handles;
    MPI_Status *statuses;
};

static struct saved saved(struct thread *thread, int count, const MPI_Request *requests, MPI_Status *statuses)
{
    size_t wanted = count > 0 ? (size_t)count : 1;
    int is_ignored = statuses == MPI_STATUSES_IGNORE;
    char *memory = scratch(thread, wanted * (sizeof *statuses + sizeof *requests));
    struct saved both = {NULL, statuses};
    if (!memory) return both;
    if (is_ignored) both.statuses = (MPI_Status *)(void *)memory;
    both.handles = (MPI_Request *)(void *)(memory + wanted * sizeof *statuses);
    memcpy(both.handles, requests, (count > 0 ? (size_t)count : 0) * sizeof *requests);
    return both;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    ENTER(PMPI_Wait(request, status));
    MPI_Request handle = *request;
    status = own_status(status, &own);
    uint64_t start = now();
    int code = PMPI_Wait(request, status);
    record *call = note(thread, F_Wait, start, now(), site);
    note_completed(thread, &call, handle, status);
    left(thread);
    return code;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own;
    ENTER(PMPI_Test(request, flag, status));
    MPI_Request handle = *request;
    status = own_status(status, &own);
    uint64_t start = now();
    int code = PMPI_Test(request, flag, status);
    record *call = note(thread, F_Test, start, now(), site);
    if (*flag) note_completed(thread, &call, handle, status);
    left(thread);
    return code;
}

static void note_all(struct thread *thread, record *call, int count, const struct saved *both)
{
    for (int at = 0; both->handles && at < count; at++)
        note_completed(thread, &call, both->handles[at], &both->statuses[at]);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
    ENTER(PMPI_Waitall(count, requests, statuses));
    struct saved both = saved(thread, count, requests, statuses);
    uint64_t start = now();
    int code = PMPI_Waitall(count, requests, both.statuses);
    note_all(thread, note(thread, F_Waitall, start, now(), site), count, &both);
    left(thread);
    return code;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
    ENTER(PMPI_Testall(count, requests, flag, statuses));
    struct saved both = saved(thread, count, requests, statuses);
    uint64_t start = now();
    int code = PMPI_Testall(count, requests, flag, both.statuses);
    record *call = note(thread, F_Testall, start, now(), site);
    if (*flag) note_all(thread, call, count, &both);
    left(thread);
    return code;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    MPI_Status own;
    ENTER(PMPI_Waitany(count, requests, index, status));
    struct saved both = saved(thread, count, requests, status);
    status = own_status(status, &own);
    uint64_t start = now();
    int code = PMPI_Waitany(count, requests, index, status);
    record *call = note(thread, F_Waitany, start, now(), site);
    if (*index >= 0 && *index < count && both.handles) note_completed(thread, &call, both.handles[*index], status);
    left(thread);
    return code;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    MPI_Status own;
    ENTER(PMPI_Testany(count, requests, index, flag, status));
    struct saved both = saved(thread, count, requests, status);
    status = own_status(status, &own);
    uint64_t start = now();
    int code = PMPI_Testany(count, requests, index, flag, status);
    record *call = note(thread, F_Testany, start, now(), site);
    if (*flag && *index >= 0 && *index < count && both.handles)
        note_completed(thread, &call, both.handles[*index], status);
    left(thread);
    return code;
}

static void note_some(struct thread *thread, record *call, int count, const int *indices, const struct saved *both)
{
    if (count == MPI_UNDEFINED) return;
    for (int at = 0; both->handles && at < count; at++)
        note_completed(thread, &call, both->handles[indices[at]], &both->statuses[at]);
}

int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    ENTER(PMPI_Waitsome(count, requests, done, indices, statuses));
    struct saved both = saved(thread, count, requests, statuses);
    uint64_t start = now();
    int code = PMPI_Waitsome(count, requests, done, indices, both.statuses);
    note_some(thread, note(thread, F_Waitsome, start, now(), site), *done, indices, &both);
    left(thread);
    return code;
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    ENTER(PMPI_Testsome(count, requests, done, indices, statuses));
    struct saved both = saved(thread, count, requests, statuses);
    uint64_t start = now();
    int code = PMPI_Testsome(count, requests, done, indices, both.statuses);
    note_some(thread, note(thread, F_Testsome, start, now(), site), *done, indices, &both);
    left(thread);
    return code;
}

/* Note what a persistent request does now that it has been started. */
static void note_started(record *noted, const struct open_request *request)
{
    if (!request->number) return;
    noted->request = request->number;
    noted->communicator = request->communicator;
    if (request->kind == OTHER) return;
    noted->tag = request->tag;
    noted->peer = request->peer;
    if (request->kind == SENDING) noted->bytes = request->bytes;
    noted->flags |= request->kind == SENDING ? SENT : POSTED;
}

int MPI_Start(MPI_Request *request)
{
    ENTER(PMPI_Start(request));
    uint64_t start = now();
    int code = PMPI_Start(request);
    record *call = note(thread, F_Start, start, now(), site);
    struct open_request known = started(thread, *request);
    note_started(call, &known);
    left(thread);
    return code;
}

int MPI_Startall(int count, MPI_Request *requests)
{
    ENTER(PMPI_Startall(count, requests));
    uint64_t start = now();
    int code = PMPI_Startall(count, requests);
    record *call = note(thread, F_Startall, start, now(), site);
    for (int at = 0; at < count; at++) {
        struct open_request known = started(thread, requests[at]);
        if (!known.number) continue;
        call = note_part(thread, call);
        note_started(call, &known);
    }
    left(thread);
    return code;
}

int MPI_Request_free(MPI_Request *request)
{
    ENTER(PMPI_Request_free(request));
    MPI_Request handle = *request;
    uint64_t start = now();
    int code = PMPI_Request_free(request);
    note(thread, F_Request_free, start, now(), site);
    forgotten(thread, handle);
    left(thread);
    return code;
}
