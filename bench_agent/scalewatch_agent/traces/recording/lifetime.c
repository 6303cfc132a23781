/* From MPI_Init to MPI_Finalize, or to whatever ends the program. */

#ifndef SIMULATED
/* The child of a fork is no process of the program. */
static void forget(void) { the_process.is_recording = 0; }
#endif

static struct process *new_process(int rank, int size)
{
#ifdef SIMULATED
    if (!processes) {
        processes = calloc((size_t)size, sizeof *processes);
        process_count = processes ? size : 0;
    }
    if (!processes) return NULL;
    processes[rank] = calloc(1, sizeof **processes);
    struct process *process = processes[rank];
#else
    struct process *process = &the_process;
#endif
    if (process) {
        process->rank = rank;
        process->processes = size;
    }
    return process;
}

static void begin(int level)
{
    int rank, size;
    const char *callers = getenv("SCALEWATCH_TRACE_DEPTH");
    MPI_Comm parent = MPI_COMM_NULL;
    folder = getenv("SCALEWATCH_TRACE");
    if (!folder || this_process()) return;
#ifndef SIMULATED
    PMPI_Comm_get_parent(&parent);
#endif
    if (parent != MPI_COMM_NULL) return;     /* its ranks would be those of another world */
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    struct process *process = new_process(rank, size);
    if (!process) return;
    mkdir(folder, 0777);         /* where nobody has */
    is_threaded = level == MPI_THREAD_MULTIPLE;
    depth = callers ? atoi(callers) : 0;
    if (depth < 0) depth = 0;
    if (depth > MOST_DEPTH) depth = MOST_DEPTH;
#ifdef SIMULATED
    if (communicator_key == MPI_KEYVAL_INVALID)
#endif
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_communicator, &communicator_key, NULL);
    find_python();
#ifndef SIMULATED
    pthread_atfork(NULL, NULL, forget);
#endif
    process->is_recording = 1;
    struct thread *thread = new_thread(process);
#ifndef SIMULATED
    the_thread = thread;
#endif
    if (!thread || !process->is_recording) {
        process->is_recording = 0;
        return;
    }
    if (!rank) define(process, "functions\t%s\n", FUNCTIONS);
    define_clock(process);
    define(process, "begin\t%llu\n", (unsigned long long)now());
    known_as(thread, MPI_COMM_WORLD);
}

static void end(void)
{
    struct process *process = this_process();
    if (!process || !process->is_recording) return;
    define(process, "end\t%llu\n", (unsigned long long)now());
    define_clock(process);
    for (struct thread *thread = process->threads; thread; thread = thread->next) close_file(thread);
    process->is_recording = 0;
}

/* Save what is in memory where a program ends without MPI_Finalize. */
static void save(struct process *process)
{
    if (!process || !process->is_recording) return;
    for (struct thread *thread = process->threads; thread; thread = thread->next) flush(thread);
}

__attribute__((destructor)) static void save_all(void)
{
#ifdef SIMULATED
    for (int rank = 0; rank < process_count; rank++) save(processes[rank]);
#else
    save(&the_process);
#endif
}

int MPI_Init(int *count, char ***words)
{
    int code = PMPI_Init(count, words);
    if (code == MPI_SUCCESS) begin(MPI_THREAD_SINGLE);
    return code;
}

int MPI_Init_thread(int *count, char ***words, int wanted, int *provided)
{
    int code = PMPI_Init_thread(count, words, wanted, provided);
    if (code == MPI_SUCCESS) begin(*provided);
    return code;
}

int MPI_Finalize(void)
{
    end();
    return PMPI_Finalize();
}

static void aborted(void)
{
    struct process *process = this_process();
    save(process);
    if (process) process->is_recording = 0;      /* it may go on until it is killed */
}

int MPI_Abort(MPI_Comm communicator, int code)
{
    aborted();
    return PMPI_Abort(communicator, code);
}
