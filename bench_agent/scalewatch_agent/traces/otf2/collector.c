/* Write the events of one location that tell of MPI as records of 40 bytes.

   The callbacks have the stable interface of libotf2; it calls them, once for each
   event. events.py has the same record and the same kinds. A callback that cannot
   write returns 1, which ends the reading. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  uint64_t time, bytes, request;
  uint32_t kind, reference;
  int32_t peer;
  uint32_t tag;
} event;

enum { ENTER = 1, LEAVE, SEND, RECEIVE, POST, COMPLETE, COLLECTIVE };

void *collector_open(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file) setvbuf(file, NULL, _IOFBF, 1 << 20);
  return file;
}

int collector_close(void *file) { return fclose(file); }

static int put(void *file, uint64_t time, uint32_t kind, uint32_t reference,
               int32_t peer, uint32_t tag, uint64_t bytes, uint64_t request) {
  event made = {time, bytes, request, kind, reference, peer, tag};
  return fwrite(&made, sizeof made, 1, file) != 1;
}

#define HEAD uint64_t location, uint64_t time, uint64_t position, void *file, void *list

int on_enter(HEAD, uint32_t region) { return put(file, time, ENTER, region, -1, 0, 0, 0); }
int on_leave(HEAD, uint32_t region) { return put(file, time, LEAVE, region, -1, 0, 0, 0); }
int on_send(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return put(file, time, SEND, comm, peer, tag, bytes, 0);
}
int on_isend(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
             uint64_t request) {
  return put(file, time, SEND, comm, peer, tag, bytes, request);
}
int on_receive(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return put(file, time, RECEIVE, comm, peer, tag, bytes, 0);
}
int on_post(HEAD, uint64_t request) { return put(file, time, POST, 0, -1, 0, 0, request); }
int on_complete(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
                uint64_t request) {
  return put(file, time, COMPLETE, comm, peer, tag, bytes, request);
}
int on_collective(HEAD, uint8_t operation, uint32_t comm, uint32_t root, uint64_t sent,
                  uint64_t received) {
  return put(file, time, COLLECTIVE, comm, (int32_t)root, operation, sent, received);
}
