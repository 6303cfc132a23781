/* Offsets of clocks on other hosts, measured when recording begins and when it ends.
 *
 * Process 0 asks each other process for its time; the fastest of several answers tells the
 * offset to half its way.  The reader interpolates between both times.  Processes under one
 * kernel share a clock. */

enum { ASKED = 20, TAG = 32123 };

#ifndef SIMULATED
static uint64_t kernel(void)
{
    char text[64] = "";
    uint64_t mark = 1;
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    for (ssize_t at = 0; at < size; at++) mark = mixed(mark) ^ (uint64_t)(unsigned char)text[at];
    return mark >> 1;
}
#endif

static int clocks_differ(void)
{
#ifdef SIMULATED
    return 0;
#else
    const char *wish = getenv("SCALEWATCH_TRACE_CLOCKS");
    long long own = (long long)kernel(), ends[2] = {own, -own}, all[2];
    if (wish && !strcmp(wish, "measure")) return 1;
    PMPI_Allreduce(ends, all, 2, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    return all[0] != -all[1];
#endif
}

static long long asked(int rank)
{
    long long theirs, offset = 0;
    uint64_t fastest = UINT64_MAX;
    for (int turn = 0; turn < ASKED; turn++) {
        uint64_t before = now();
        PMPI_Send(&turn, 1, MPI_INT, rank, TAG, MPI_COMM_WORLD);
        PMPI_Recv(&theirs, 1, MPI_LONG_LONG, rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        uint64_t way = now() - before;
        if (way >= fastest) continue;
        fastest = way;
        offset = theirs - (long long)(before + way / 2);
    }
    PMPI_Send(&offset, 1, MPI_LONG_LONG, rank, TAG, MPI_COMM_WORLD);
    return offset;
}

static long long answered(void)
{
    long long offset;
    int turn;
    for (int at = 0; at < ASKED; at++) {
        PMPI_Recv(&turn, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        long long own = (long long)now();
        PMPI_Send(&own, 1, MPI_LONG_LONG, 0, TAG, MPI_COMM_WORLD);
    }
    PMPI_Recv(&offset, 1, MPI_LONG_LONG, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return offset;
}

/* Write down by how much the clock of this process is ahead of that of process 0. */
static void define_clock(struct process *process)
{
    if (!clocks_differ()) return;
    if (process->rank) {
        long long offset = answered();
        define(process, "clock\t%llu\t%lld\n", (unsigned long long)now(), offset);
    } else for (int rank = 1; rank < process->processes; rank++) asked(rank);
}
