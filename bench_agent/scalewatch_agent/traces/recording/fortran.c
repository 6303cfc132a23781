/* What Fortran passes: by reference, handles as integers, and marks by their address. */

enum { F_STATUS = sizeof(MPI_Status) / sizeof(MPI_Fint) };   /* integers of a status */

static const void *marks[16];
static int mark_count;

/* Addresses that stand for "none" or "in place", as the libraries' Fortran parts name them. */
static void find_marks(void)
{
    static const char *const objects[] = {
        "mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_", "MPIR_F08_MPI_STATUS_IGNORE_OBJ",
        "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"};
    static const char *const pointers[] = {"MPI_F08_STATUS_IGNORE", "MPI_F08_STATUSES_IGNORE"};
    for (size_t at = 0; at < sizeof objects / sizeof *objects; at++) {
        const void *found = dlsym(RTLD_DEFAULT, objects[at]);
        if (found) marks[mark_count++] = found;
    }
    for (size_t at = 0; at < sizeof pointers / sizeof *pointers; at++) {
        const void *const *found = dlsym(RTLD_DEFAULT, pointers[at]);
        if (found && *found) marks[mark_count++] = *found;
    }
}

static int is_ignored(const void *status)
{
    if (status == (const void *)MPI_F_STATUS_IGNORE || status == (const void *)MPI_F_STATUSES_IGNORE) return 1;
    if (!mark_count) find_marks();
    for (int at = 0; at < mark_count; at++) if (status == marks[at]) return 1;
    return 0;
}

static int is_in_place(const void *buffer)
{
    static const char *const names[] = {"mpi_fortran_in_place_", "MPIR_F08_MPI_IN_PLACE", "mpi_in_place_"};
    static const void *places[3], *const *pointer;
    static int is_found;
    if (!is_found) {
        for (int at = 0; at < 3; at++) places[at] = dlsym(RTLD_DEFAULT, names[at]);
        pointer = dlsym(RTLD_DEFAULT, "MPIR_F_MPI_IN_PLACE");
        is_found = 1;
    }
    if (!buffer || (pointer && buffer == *pointer)) return 1;
    const void *inside = *(void *const *)buffer;     /* of a descriptor */
    for (int at = 0; at < 3; at++) if (places[at] && (buffer == places[at] || inside == places[at])) return 1;
    return 0;
}

static MPI_Status *as_c(const void *status, MPI_Status *own)
{
    memset(own, 0, sizeof *own);
    PMPI_Status_f2c(status, own);
    return own;
}

/* Of types that differ by partner. */
static uint64_t f_each_of(const MPI_Fint *types, const int *counts, int members)
{
    uint64_t sum = 0;
    for (int at = 0; at < members; at++) sum += bytes_of(PMPI_Type_f2c(types[at]), counts[at]);
    return sum;
}

/* Handles and statuses of several requests, before a call resets or fills them. */
struct f_saved {
    MPI_Request *handles;
    MPI_Fint *statuses;
};

static struct f_saved f_saved(struct thread *thread, int count, const MPI_Fint *requests, void *statuses)
{
    size_t wanted = count > 0 ? (size_t)count : 1, status_size = F_STATUS * sizeof(MPI_Fint);
    char *memory = scratch(thread, wanted * (sizeof(MPI_Request) + status_size));
    struct f_saved both = {NULL, statuses};
    if (!memory) return both;
    both.handles = (MPI_Request *)(void *)memory;
    if (is_ignored(statuses)) both.statuses = (MPI_Fint *)(void *)(memory + wanted * sizeof(MPI_Request));
    for (int at = 0; at < count; at++) both.handles[at] = PMPI_Request_f2c(requests[at]);
    return both;
}

static void f_note(struct thread *thread, record **call, const struct f_saved *both, int request, int status)
{
    MPI_Status own;
    if (!both->handles) return;
    note_completed(thread, call, both->handles[request], as_c(both->statuses + status * F_STATUS, &own));
}

#define ONE_STEP(name, count, requests, wanted, invoke) \
    struct thread *thread = entered(); \
    if (!thread) { invoke; return; } \
    uint32_t site = site_of(thread, address, frame); \
    struct f_saved both = f_saved(thread, count, requests, wanted); \
    wanted = both.statuses; \
    uint64_t start = now(); \
    invoke; \
    record *call = note(thread, F_##name, start, now(), site)

typedef void (*call3)(void *, void *, void *);
typedef void (*call4)(void *, void *, void *, void *);
typedef void (*call5)(void *, void *, void *, void *, void *);
typedef void (*call6)(void *, void *, void *, void *, void *, void *);
#define INVOKE(type, ...) do { type invoked; memcpy(&invoked, &next, sizeof next); invoked(__VA_ARGS__); } while (0)
#define VALUE(pointer) (*(MPI_Fint *)(pointer))

static void fortran_Wait(void *next, void *address, uintptr_t frame, void *request, void *status, void *code)
{
    ONE_STEP(Wait, 1, request, status, INVOKE(call3, request, status, code));
    f_note(thread, &call, &both, 0, 0);
    left(thread);
}

static void fortran_Test(void *next, void *address, uintptr_t frame, void *request, void *flag, void *status, void *code)
{
    ONE_STEP(Test, 1, request, status, INVOKE(call4, request, flag, status, code));
    if (VALUE(flag)) f_note(thread, &call, &both, 0, 0);
    left(thread);
}

static void fortran_Waitall(void *next, void *address, uintptr_t frame, void *count, void *requests, void *statuses, void *code)
{
    ONE_STEP(Waitall, VALUE(count), requests, statuses, INVOKE(call4, count, requests, statuses, code));
    for (int at = 0; at < VALUE(count); at++) f_note(thread, &call, &both, at, at);
    left(thread);
}

static void fortran_Testall(void *next, void *address, uintptr_t frame, void *count, void *requests, void *flag, void *statuses, void *code)
{
    ONE_STEP(Testall, VALUE(count), requests, statuses, INVOKE(call5, count, requests, flag, statuses, code));
    for (int at = 0; VALUE(flag) && at < VALUE(count); at++) f_note(thread, &call, &both, at, at);
    left(thread);
}

static void fortran_Waitany(void *next, void *address, uintptr_t frame, void *count, void *requests, void *index, void *status, void *code)
{
    ONE_STEP(Waitany, VALUE(count), requests, status, INVOKE(call5, count, requests, index, status, code));
    if (VALUE(index) >= 1 && VALUE(index) <= VALUE(count)) f_note(thread, &call, &both, VALUE(index) - 1, 0);
    left(thread);
}

static void fortran_Testany(void *next, void *address, uintptr_t frame, void *count, void *requests, void *index, void *flag, void *status, void *code)
{
    ONE_STEP(Testany, VALUE(count), requests, status, INVOKE(call6, count, requests, index, flag, status, code));
    if (VALUE(flag) && VALUE(index) >= 1 && VALUE(index) <= VALUE(count)) f_note(thread, &call, &both, VALUE(index) - 1, 0);
    left(thread);
}

static void f_note_some(struct thread *thread, record *call, const struct f_saved *both, int count, int done, const MPI_Fint *indices)
{
    if (done == MPI_UNDEFINED) return;
    for (int at = 0; at < done; at++) if (indices[at] >= 1 && indices[at] <= count) f_note(thread, &call, both, indices[at] - 1, at);
}

static void fortran_Waitsome(void *next, void *address, uintptr_t frame, void *count, void *requests, void *done, void *indices, void *statuses, void *code)
{
    ONE_STEP(Waitsome, VALUE(count), requests, statuses, INVOKE(call6, count, requests, done, indices, statuses, code));
    f_note_some(thread, call, &both, VALUE(count), VALUE(done), indices);
    left(thread);
}

static void fortran_Testsome(void *next, void *address, uintptr_t frame, void *count, void *requests, void *done, void *indices, void *statuses, void *code)
{
    ONE_STEP(Testsome, VALUE(count), requests, statuses, INVOKE(call6, count, requests, done, indices, statuses, code));
    f_note_some(thread, call, &both, VALUE(count), VALUE(done), indices);
    left(thread);
}

static void f_started(struct thread *thread, uint16_t function, uint64_t start, uint32_t site, int count, const MPI_Fint *requests)
{
    record *call = note(thread, function, start, now(), site);
    for (int at = 0; at < count; at++) {
        struct open_request known = started(thread, PMPI_Request_f2c(requests[at]));
        if (!known.number) continue;
        if (function == F_Startall) call = note_part(thread, call);
        note_started(call, &known);
    }
    left(thread);
}

typedef void (*call2)(void *, void *);

static void fortran_Start(void *next, void *address, uintptr_t frame, void *request, void *code)
{
    struct thread *thread = entered();
    uint32_t site = thread ? site_of(thread, address, frame) : 0;
    uint64_t start = now();
    INVOKE(call2, request, code);
    if (thread) f_started(thread, F_Start, start, site, 1, request);
}

static void fortran_Startall(void *next, void *address, uintptr_t frame, void *count, void *requests, void *code)
{
    struct thread *thread = entered();
    uint32_t site = thread ? site_of(thread, address, frame) : 0;
    uint64_t start = now();
    INVOKE(call3, count, requests, code);
    if (thread) f_started(thread, F_Startall, start, site, VALUE(count), requests);
}

static void fortran_Request_free(void *next, void *address, uintptr_t frame, void *request, void *code)
{
    struct thread *thread = entered();
    uint32_t site = thread ? site_of(thread, address, frame) : 0;
    MPI_Request handle = PMPI_Request_f2c(VALUE(request));
    uint64_t start = now();
    INVOKE(call2, request, code);
    if (!thread) return;
    note(thread, F_Request_free, start, now(), site);
    forgotten(thread, handle);
    left(thread);
}

static void fortran_Comm_free(void *next, void *address, uintptr_t frame, void *communicator, void *code)
{
    struct thread *thread = entered();
    uint32_t site = thread ? site_of(thread, address, frame) : 0;
    MPI_Comm handle = PMPI_Comm_f2c(VALUE(communicator));
    uint64_t start = now();
    INVOKE(call2, communicator, code);
    if (!thread) return;
    note(thread, F_Comm_free, start, now(), site);
    detach(thread->process, handle);
    left(thread);
}

typedef void (*call1)(void *);

static void fortran_Init(void *next, void *address, uintptr_t frame, void *code)
{
    (void)address, (void)frame;
    INVOKE(call1, code);
    begin(MPI_THREAD_SINGLE);
}

static void fortran_Init_thread(void *next, void *address, uintptr_t frame, void *wanted, void *provided, void *code)
{
    (void)address, (void)frame;
    INVOKE(call3, wanted, provided, code);
    begin(VALUE(provided));
}

static void fortran_Finalize(void *next, void *address, uintptr_t frame, void *code)
{
    (void)address, (void)frame;
    end();
    INVOKE(call1, code);
}

static void fortran_Abort(void *next, void *address, uintptr_t frame, void *comm, void *word, void *code)
{
    (void)address, (void)frame;
    aborted();
    INVOKE(call3, comm, word, code);
}
