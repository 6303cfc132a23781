/* The line of Python that calls MPI, where the process is an interpreter.
 *
 * Bindings release the interpreter's lock around calls, so it is taken for the moment in which
 * the frame is read, before the call is timed.  Frames of mpi4py itself are passed over. */

#ifndef SIMULATED
typedef void *object;
static struct {
    int (*IsInitialized)(void);
    object (*ThisThreadState)(void);
    int (*Ensure)(void);
    void (*Release)(int);
    object (*GetFrame)(void);
    object (*GetBack)(object);
    object (*GetCode)(object);
    int (*GetLasti)(object);
    int (*GetLineNumber)(object);
    object (*GetAttrString)(object, const char *);
    const char *(*AsUTF8)(object);
    void (*DecRef)(object);
} python;
static int is_python;

static void find_python(void)
{
    const struct { void *pointer; const char *name; } wanted[] = {
        {&python.IsInitialized, "Py_IsInitialized"},
        {&python.ThisThreadState, "PyGILState_GetThisThreadState"},
        {&python.Ensure, "PyGILState_Ensure"},
        {&python.Release, "PyGILState_Release"},
        {&python.GetFrame, "PyEval_GetFrame"},
        {&python.GetBack, "PyFrame_GetBack"},
        {&python.GetCode, "PyFrame_GetCode"},
        {&python.GetLineNumber, "PyFrame_GetLineNumber"},
        {&python.GetAttrString, "PyObject_GetAttrString"},
        {&python.AsUTF8, "PyUnicode_AsUTF8"},
        {&python.DecRef, "Py_DecRef"},
    };
    is_python = 1;
    for (size_t at = 0; at < sizeof wanted / sizeof *wanted; at++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[at].name);
        if (!found) is_python = 0;
        memcpy(wanted[at].pointer, &found, sizeof found);
    }
    void *instruction = dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");  /* from 3.11 on */
    if (!instruction) instruction = dlsym(RTLD_DEFAULT, "PyFrame_GetLineNumber");
    memcpy(&python.GetLasti, &instruction, sizeof instruction);
}

static const uint32_t BINDINGS = 1u << 31;  /* the site of frames that are passed over */

/* Write one frame as line, function and file; return 0 if it belongs to the bindings. */
static int described_frame(char *text, size_t size, object frame, object code)
{
    object file = python.GetAttrString(code, "co_filename");
    object name = python.GetAttrString(code, "co_qualname");
    if (!name) name = python.GetAttrString(code, "co_name");
    const char *path = file ? python.AsUTF8(file) : "", *function = name ? python.AsUTF8(name) : "";
    int is_own = !strstr(path ? path : "", "/mpi4py/");
    snprintf(text, size, "\t%d\t%s\t%s", python.GetLineNumber(frame), function ? function : "", path ? path : "");
    if (file) python.DecRef(file);
    if (name) python.DecRef(name);
    return is_own;
}

static uint64_t frame_key(object frame, object code)
{
    return (mixed((uint64_t)(uintptr_t)code) ^ (uint64_t)(uint32_t)python.GetLasti(frame)) | 1;
}

/* Number a place in Python with its callers; the code object is kept, and so its address. */
static uint32_t new_python_place(struct process *process, uint64_t key, object frame, object code)
{
    char text[LONGEST_PATH * 2];
    if (!described_frame(text, sizeof text, frame, code)) {
        pthread_mutex_lock(&lock);
        struct place *place = place_of(key);
        place->site = BINDINGS;
        __atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&lock);
        return BINDINGS;
    }
    size_t used = strlen(text);
    object caller = python.GetBack(frame);
    for (int at = 0; caller && at < depth && used < sizeof text; at++) {
        object above = python.GetBack(caller), its_code = python.GetCode(caller);
        if (described_frame(text + used, sizeof text - used, caller, its_code)) used += strlen(text + used);
        python.DecRef(its_code);
        python.DecRef(caller);
        caller = above;
    }
    if (caller) python.DecRef(caller);
    pthread_mutex_lock(&lock);
    struct place *place = place_of(key);
    uint32_t site = place->site;
    if (!place->key) {
        place->site = site = ++place_count;
        __atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    define(process, "python\t%u%s\n", site, text);
    return site;
}

/* With callers the whole chain makes the key: the same line is reached on several ways. */
static uint64_t chain_key(object frame, uint64_t key)
{
    object caller = python.GetBack(frame);
    for (int at = 0; caller && at < depth; at++) {
        object above = python.GetBack(caller), code = python.GetCode(caller);
        key = mixed(key) ^ frame_key(caller, code);
        python.DecRef(code);
        python.DecRef(caller);
        caller = above;
    }
    if (caller) python.DecRef(caller);
    return key | 1;
}

static uint32_t site_in(struct process *process, object frame)
{
    uint32_t site = 0;
    object owned = NULL;         /* frames but the first are new references */
    while (frame) {
        object code = python.GetCode(frame);
        uint64_t key = frame_key(frame, code);
        if (depth) key = chain_key(frame, key);
        struct place *place = place_of(key);
        int is_new = place->key != key;
        if (is_new && place_count >= PLACES - PLACES / 4) site = 0;
        else site = is_new ? new_python_place(process, key, frame, code) : place->site;
        if (!is_new) python.DecRef(code);
        if (site != BINDINGS) break;
        object caller = python.GetBack(frame);
        if (owned) python.DecRef(owned);
        frame = owned = caller;
        site = 0;
    }
    if (owned) python.DecRef(owned);
    return site;
}

static uint32_t python_site(struct thread *thread)
{
    if (!is_python || !python.ThisThreadState() || !python.IsInitialized()) return 0;
    int state = python.Ensure();
    uint32_t site = site_in(thread->process, python.GetFrame());
    python.Release(state);
    return site;
}
#else
static void find_python(void) {}
#endif
