/* What the record of a call says, by the kind of the call. */

/* MPI_ROOT is that between groups; SimGrid, which knows none, makes it 0. */
static inline int is_root(const struct communicator *on, int root)
{
    return root == on->rank || (MPI_ROOT < 0 && root == MPI_ROOT);
}

static inline uint64_t bytes_of(MPI_Datatype type, MPI_Count count)
{
    int size = 0;
    if (count > 0 && type && type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
    return size > 0 ? (uint64_t)size * (uint64_t)count : 0;
}

static inline uint64_t sum_of(MPI_Datatype type, const int *counts, int members)
{
    MPI_Count sum = 0;
    for (int at = 0; at < members; at++) sum += counts[at];
    return bytes_of(type, sum);
}

#if MPI_VERSION >= 4
static inline uint64_t large_sum_of(MPI_Datatype type, const MPI_Count *counts, int members)
{
    MPI_Count sum = 0;
    for (int at = 0; at < members; at++) sum += counts[at];
    return bytes_of(type, sum);
}
#endif

/* Of types that differ by partner. */
static inline uint64_t each_of(const MPI_Datatype *types, const int *counts, int members)
{
    uint64_t sum = 0;
    for (int at = 0; at < members; at++) sum += bytes_of(types[at], counts[at]);
    return sum;
}

#if MPI_VERSION >= 4
static inline uint64_t large_each_of(const MPI_Datatype *types, const MPI_Count *counts, int members)
{
    uint64_t sum = 0;
    for (int at = 0; at < members; at++) sum += bytes_of(types[at], counts[at]);
    return sum;
}
#endif

static uint64_t received_bytes(const MPI_Status *status)
{
    int count = 0;
    MPI_Count large = 0;
    PMPI_Get_count((MPI_Status *)status, MPI_BYTE, &count);
    if (count >= 0 && count != MPI_UNDEFINED) return (uint64_t)count;
    PMPI_Get_elements_x((MPI_Status *)status, MPI_BYTE, &large);
    return large > 0 ? (uint64_t)large : 0;
}

static inline void note_send(record *noted, const struct communicator *on, int peer, int tag, uint64_t bytes)
{
    noted->communicator = on->number;
    noted->tag = tag;
    if (peer == MPI_PROC_NULL) return;
    noted->peer = peer;
    noted->bytes = bytes;
    noted->flags |= SENT;
}

static inline void note_receive(record *noted, uint32_t communicator, const MPI_Status *status)
{
    noted->communicator = communicator;
    noted->tag = status->MPI_TAG;
    if (status->MPI_SOURCE < 0) return;      /* MPI_PROC_NULL */
    noted->peer = status->MPI_SOURCE;
    noted->bytes = received_bytes(status);
    noted->flags |= RECEIVED;
}

static inline void note_collective(record *noted, const struct communicator *on, int root, uint64_t bytes)
{
    noted->communicator = on->number;
    noted->peer = root < 0 ? -1 : root;
    noted->bytes = bytes;
}

/* Note one of the requests that a call has completed. */
static void note_completed(struct thread *thread, record **call, MPI_Request handle, const MPI_Status *status)
{
    if (handle == MPI_REQUEST_NULL) return;
    struct open_request request = taken(thread, handle);
    if (!request.number) return;
    int is_cancelled = 0;
    record *part = note_part(thread, *call);
    *call = part;
    part->request = request.number;
    part->communicator = request.communicator;
    if (request.kind != RECEIVING) return;
    PMPI_Test_cancelled((MPI_Status *)status, &is_cancelled);
    if (!is_cancelled) note_receive(part, request.communicator, status);
}

/* Note both halves of an exchange: the message received is a part of the call. */
static void note_exchange(struct thread *thread, record *call, MPI_Comm comm, int to, int tag, uint64_t bytes,
                          const MPI_Status *status)
{
    const struct communicator *on = known_as(thread, comm);
    note_send(call, on, to, tag, bytes);
    if (status->MPI_SOURCE < 0) return;
    note_receive(note_part(thread, call), on->number, status);
}
