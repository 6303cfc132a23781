/* Records in memory, and the files they go to. */

#ifdef SIMULATED
enum { BLOCK = 512 };   /* records; thousands of processes share the memory of one */
#else
enum { BLOCK = 4096 };
#endif
enum { MOST_DEPTH = 32, LONGEST_PATH = 4096 };

enum { SENT = 1, RECEIVED = 2, POSTED = 4, PART = 8 };

typedef struct {
    uint64_t start, took, bytes;
    int32_t peer, tag;
    uint32_t request, site, communicator;
    uint16_t function, flags;
} record;
_Static_assert(sizeof(record) == 48, "the reader maps records of 48 bytes");

typedef struct {
    char magic[8];
    uint32_t version, record_size, rank, thread, processes, closed;
    char run[32];
} header;
_Static_assert(sizeof(header) == 64, "the reader maps a header of 64 bytes");

struct thread {
    struct thread *next;
    struct process *process;
    int number, inside;          /* inside: a wrapper is at work, calls below it are its own */
    uint32_t used, generation;
    MPI_Comm last;               /* the communicator of the last call, and what is known of it */
    struct communicator *known;
    uint64_t flushed;
    uintptr_t stack_begin, stack_end;
    size_t scratch_size;
    void *scratch;
    record block[BLOCK];
};

struct process {
    int rank, processes, is_recording, thread_count;
#ifdef SIMULATED
    struct met_here *met;        /* communicators that this process knows */
#endif
    uint32_t requests, communicators;
    struct thread *threads;
    struct open_request *open;   /* a hash table of `open_size` places */
    uint32_t open_size, open_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_threaded, depth;
static const char *folder;

static inline void locked(void) { if (is_threaded) pthread_mutex_lock(&lock); }
static inline void unlocked(void) { if (is_threaded) pthread_mutex_unlock(&lock); }

#ifdef SIMULATED
static struct process **processes;
static int process_count;

static inline struct process *this_process(void)
{
    int rank;
    if (!processes) return NULL;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank >= 0 && rank < process_count ? processes[rank] : NULL;
}
static inline uint64_t now(void) { return (uint64_t)(PMPI_Wtime() * 1e9 + .5); }
#else
static struct process the_process;
static __thread struct thread *the_thread __attribute__((tls_model("initial-exec")));

static inline struct process *this_process(void)
{
    return the_process.is_recording ? &the_process : NULL;
}
static inline uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
#endif

/* The user's error number is none of our business. */
static int append(const char *path, const void *content, size_t size)
{
    int before = errno, file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    const char *rest = content;
    while (file >= 0 && size) {
        ssize_t written = write(file, rest, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        rest += written;
        size -= (size_t)written;
    }
    if (file < 0 || close(file)) size = 1;
    errno = before;
    return !size;
}

static void define(struct process *process, const char *form, ...)
{
    char path[LONGEST_PATH], *line = NULL;
    va_list arguments;
    va_start(arguments, form);
    int length = vasprintf(&line, form, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s/rank.%d.def", folder, process->rank);
    if (length < 0) return;
    if (!append(path, line, (size_t)length)) process->is_recording = 0;
    free(line);
}

static void path_of(const struct thread *thread, char path[LONGEST_PATH])
{
    int rank = thread->process->rank;
    if (thread->number) snprintf(path, LONGEST_PATH, "%s/rank.%d.%d.swt", folder, rank, thread->number);
    else snprintf(path, LONGEST_PATH, "%s/rank.%d.swt", folder, rank);
}

static void flush(struct thread *thread)
{
    char path[LONGEST_PATH];
    size_t size = thread->used * sizeof *thread->block;
    thread->used = 0;
    if (!size || !thread->process->is_recording) return;
    path_of(thread, path);
    if (!append(path, thread->block, size)) {
        thread->process->is_recording = 0;
        define(thread->process, "lost\t%s\n", "the disk did not take all records");
    }
}

static int begin_file(const struct thread *thread)
{
    char path[LONGEST_PATH];
    const char *run = getenv("SCALEWATCH_TRACE_RUN");
    header first = {"SWTRACE", 1, sizeof(record), (uint32_t)thread->process->rank,
                    (uint32_t)thread->number, (uint32_t)thread->process->processes, 0, ""};
    memcpy(first.run, run ? run : "", run ? strnlen(run, sizeof first.run) : 0);
    path_of(thread, path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return 0;      /* of another program in the same job: its trace stays */
    close(file);
    return append(path, &first, sizeof first);
}

/* Say that all records are there. */
static void close_file(struct thread *thread)
{
    char path[LONGEST_PATH];
    uint32_t yes = 1;
    flush(thread);
    if (!thread->process->is_recording) return;
    path_of(thread, path);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    ssize_t written = pwrite(file, &yes, sizeof yes, offsetof(header, closed));
    (void)written;               /* the trace then counts as truncated */
    close(file);
}

static struct thread *new_thread(struct process *process)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (!thread) return NULL;
    thread->process = process;
    pthread_mutex_lock(&lock);
    thread->number = process->thread_count++;
    thread->next = process->threads;
    process->threads = thread;
    pthread_mutex_unlock(&lock);
#ifndef SIMULATED
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    if (depth && !pthread_getattr_np(pthread_self(), &attributes)) {
        pthread_attr_getstack(&attributes, &stack, &size);
        pthread_attr_destroy(&attributes);
        thread->stack_begin = (uintptr_t)stack;
        thread->stack_end = (uintptr_t)stack + size;
    }
#endif
    thread->flushed = now();
    if (!begin_file(thread)) process->is_recording = 0;
    return thread;
}

/* Return the calling thread if its call is to be recorded. */
static inline struct thread *entered(void)
{
    struct process *process = this_process();
    if (!process || !process->is_recording) return NULL;
#ifdef SIMULATED
    struct thread *thread = process->threads;
#else
    struct thread *thread = the_thread;
    if (!thread) thread = the_thread = new_thread(process);
#endif
    if (!thread || thread->inside) return NULL;
    thread->inside = 1;
    return thread;
}

static inline void left(struct thread *thread) { thread->inside = 0; }

/* Return memory that lasts until the next such call of this thread. */
static void *scratch(struct thread *thread, size_t size)
{
    if (size > thread->scratch_size) {
        free(thread->scratch);
        thread->scratch = malloc(size);
        thread->scratch_size = thread->scratch ? size : 0;
    }
    return thread->scratch;
}

static inline record *note(struct thread *thread, uint16_t function, uint64_t start,
                           uint64_t end, uint32_t site)
{
    if (thread->used == BLOCK || end - thread->flushed > 1000000000u) {
        flush(thread);
        thread->flushed = end;
    }
    record *noted = &thread->block[thread->used++];
    *noted = (record){start, end - start, 0, -1, -1, 0, site, 0, function, 0};
    return noted;
}

/* Note what a call has completed beside itself. */
static inline record *note_part(struct thread *thread, const record *call)
{
    record copy = *call;         /* flushing may overwrite it */
    record *part = note(thread, copy.function, copy.start, copy.start + copy.took, copy.site);
    part->flags = PART;
    return part;
}
