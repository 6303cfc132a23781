/* The table of open requests without a library: one handle, begun by several threads. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct open_request;
struct process {
    uint32_t requests, open_size, open_count;
    struct open_request *open;
};
struct thread {
    struct process *process;
};
static uint64_t mixed(uint64_t bits) { return bits; }
static void locked(void) {}
static void unlocked(void) {}

#include REQUESTS

int main(void)
{
    struct process process = {0};
    struct thread first = {&process}, second = {&process}, third = {&process};
    struct open_request request = {.handle = (MPI_Request)0x40};
    /* Handed out again before the first thread has noted that it waited. */
    opened(&first, request);
    opened(&second, request);
    opened(&first, request);
    printf("%u ", taken(&second, request.handle).number);
    printf("%u ", taken(&third, request.handle).number);
    printf("%u ", taken(&first, request.handle).number);
    printf("%u\n", taken(&first, request.handle).number);
    forgotten(&first, request.handle);
    started(&first, request.handle);
    return 0;
}
