/* Make calls of MPI out of the events of one location, as rows of 56 bytes.

   libotf2 calls the functions on_…, once for each event, by its stable interface.
   A call begins where a function of MPI is entered and ends where it is left again, at
   the same depth; its messages, and calls of MPI within it, belong to it. Where another
   region is left instead, the call has no end: calls within it then stand for
   themselves. rows.py has the same layout, interpreted.py the same functions in Python.
   A function that can go no further returns 1, which ends the reading. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  uint64_t start, took, bytes, request;
  uint32_t function, caller, communicator, flags;
  int32_t peer, tag;
} row;

typedef struct {
  uint64_t first, last, events, rows, left_open, backwards, unused;
} heading;

enum { SENT = 1, RECEIVED = 2, POSTED = 4, PART = 8, REQUESTED = 16, STARTED = 32, COMPLETED = 64 };
enum { MOST_WAITING = 1 << 18, TABLE = 1 << 16 };
static const uint32_t NOTHING = UINT32_MAX;

typedef struct {
  uint64_t entered;
  uint32_t region, is_call;
  size_t calls, messages; /* how many waited when it was entered */
} frame;

typedef struct {
  row head;
  size_t messages, end; /* its messages among those that wait */
} call;

typedef struct {
  FILE *file;
  heading told;
  uint8_t is_function[TABLE];
  const uint32_t *functions; /* in order */
  size_t function_count;
  uint32_t sizes; /* the parameter that tells bytes of calls */
  frame *frames;
  call *calls;
  row *messages;
  size_t depth, frame_room, call_count, call_room, message_count, message_room;
  size_t open; /* calls of MPI that are entered and not left */
} collector;

static int grow(void **items, size_t count, size_t *room, size_t size) {
  if (count < *room) return 0;
  size_t wanted = *room ? 2 * *room : 64;
  void *moved = realloc(*items, wanted * size);
  if (!moved) return 1;
  *items = moved;
  *room = wanted;
  return 0;
}

collector *collector_open(const char *path, const uint32_t *functions, uint64_t count,
                          uint32_t sizes) {
  collector *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  own->file = fopen(path, "wb");
  own->functions = functions;
  own->function_count = count;
  own->sizes = sizes;
  for (size_t at = 0; at < count; at++)
    if (functions[at] < TABLE) own->is_function[functions[at]] = 1;
  own->told.first = UINT64_MAX;
  if (!own->file || fwrite(&own->told, sizeof own->told, 1, own->file) != 1) return NULL;
  setvbuf(own->file, NULL, _IOFBF, 1 << 20);
  return own;
}

static int compared(const void *first, const void *second) {
  uint32_t a = *(const uint32_t *)first, b = *(const uint32_t *)second;
  return (a > b) - (a < b);
}

static int is_function(const collector *own, uint32_t region) {
  if (region < TABLE) return own->is_function[region];
  return bsearch(&region, own->functions, own->function_count, sizeof region,
                 compared) != NULL;
}

static int put(collector *own, const row *made) {
  own->told.rows++;
  return fwrite(made, sizeof *made, 1, own->file) != 1;
}

static void take(row *made, const row *message) {
  made->flags |= message->flags;
  made->bytes = message->bytes;
  made->request = message->request;
  made->communicator = message->communicator;
  made->peer = message->peer;
  made->tag = message->tag;
}

/* The first message of a call stands in its row, each other one in a part of it. */
static int write_waiting(collector *own) {
  for (size_t at = 0; at < own->call_count; at++) {
    const call *one = &own->calls[at];
    row head = one->head;
    if (one->messages < one->end) take(&head, &own->messages[one->messages]);
    if (put(own, &head)) return 1;
    for (size_t next = one->messages + 1; next < one->end; next++) {
      row part = one->head;
      part.flags = PART;
      take(&part, &own->messages[next]);
      if (put(own, &part)) return 1;
    }
  }
  own->call_count = own->message_count = 0;
  return 0;
}

/* So much happened in calls that are open that they hardly end: they are given up. */
static int give_up(collector *own) {
  for (size_t at = 0; at < own->depth; at++) {
    own->told.left_open += own->frames[at].is_call;
    own->frames[at].is_call = 0;
  }
  own->open = 0;
  return write_waiting(own);
}

static void see(collector *own, uint64_t time) {
  own->told.events++;
  if (time < own->told.first) own->told.first = time;
  if (time > own->told.last) own->told.last = time;
}

#define HEAD uint64_t location, uint64_t time, uint64_t position, void *data, void *list

int on_enter(HEAD, uint32_t region) {
  collector *own = data;
  see(own, time);
  if (grow((void **)&own->frames, own->depth, &own->frame_room, sizeof(frame))) return 1;
  uint32_t is_call = is_function(own, region);
  own->open += is_call;
  own->frames[own->depth++] =
      (frame){time, region, is_call, own->call_count, own->message_count};
  return 0;
}

static int end_call(collector *own, const frame *left, uint64_t time) {
  own->call_count = left->calls;
  if (grow((void **)&own->calls, own->call_count, &own->call_room, sizeof(call))) return 1;
  call *made = &own->calls[own->call_count++];
  uint32_t caller = own->depth ? own->frames[own->depth - 1].region : NOTHING;
  int is_backwards = time < left->entered;
  own->told.backwards += is_backwards;
  made->head = (row){.start = left->entered,
                     .took = is_backwards ? 0 : time - left->entered,
                     .function = left->region,
                     .caller = caller,
                     .communicator = NOTHING,
                     .peer = -1};
  made->messages = left->messages;
  made->end = own->message_count;
  return 0;
}

int on_leave(HEAD, uint32_t region) {
  collector *own = data;
  see(own, time);
  if (!own->depth) return 0;
  frame left = own->frames[--own->depth];
  if (!left.is_call) return 0;
  own->open--;
  if (left.region != region)
    own->told.left_open++;
  else if (end_call(own, &left, time))
    return 1;
  if (!own->open) return write_waiting(own);
  return own->call_count > MOST_WAITING ? give_up(own) : 0;
}

static int tell(collector *own, uint64_t time, row message) {
  see(own, time);
  if (!own->open) return 0;
  if (grow((void **)&own->messages, own->message_count, &own->message_room, sizeof(row)))
    return 1;
  own->messages[own->message_count++] = message;
  return own->message_count > MOST_WAITING ? give_up(own) : 0;
}

#define MESSAGE                                                                        \
  .peer = (int32_t)peer, .communicator = comm, .tag = (int32_t)tag, .bytes = bytes

int on_send(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return tell(data, time, (row){MESSAGE, .flags = SENT});
}
int on_isend(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
             uint64_t request) {
  return tell(data, time, (row){MESSAGE, .request = request, .flags = SENT | REQUESTED});
}
/* Which row of a call that has completed a send stands for it: bytes are where it began. */
int on_sent(HEAD, uint64_t request) {
  return tell(data, time, (row){.peer = -1, .communicator = NOTHING, .request = request,
                                .flags = REQUESTED});
}
int on_receive(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes) {
  return tell(data, time, (row){MESSAGE, .flags = RECEIVED});
}
int on_post(HEAD, uint64_t request) {
  return tell(data, time, (row){.peer = -1, .communicator = NOTHING, .request = request,
                                .flags = POSTED | REQUESTED});
}
int on_complete(HEAD, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
                uint64_t request) {
  return tell(data, time, (row){MESSAGE, .request = request, .flags = RECEIVED | REQUESTED});
}
int on_collective(HEAD, uint8_t operation, uint32_t comm, uint32_t root, uint64_t sent,
                  uint64_t received) {
  return tell(data, time,
              (row){.peer = (int32_t)root, .communicator = comm, .bytes = sent});
}

/* A collective that does not block tells where it is completed what it was. */
int on_started(HEAD, uint64_t request) {
  return tell(data, time, (row){.peer = -1, .communicator = NOTHING, .request = request,
                                .flags = STARTED | REQUESTED});
}
int on_completed(HEAD, uint8_t operation, uint32_t comm, uint32_t root, uint64_t sent,
                 uint64_t received, uint64_t request) {
  return tell(data, time,
              (row){.peer = (int32_t)root, .communicator = comm, .bytes = sent,
                    .request = request, .flags = COMPLETED | REQUESTED});
}
int on_parameter(HEAD, uint32_t parameter, uint64_t value) {
  collector *own = data;
  if (parameter == own->sizes)
    return tell(own, time, (row){.peer = -1, .communicator = NOTHING, .bytes = value});
  see(own, time);
  return 0;
}
int on_begin(HEAD, uint32_t name, uint32_t count, const uint32_t *arguments) {
  see(data, time);
  return 0;
}
int on_end(HEAD, int64_t status) {
  see(data, time);
  return 0;
}

/* Calls that were never left have no end. */
int collector_close(collector *own) {
  int failed = give_up(own);
  failed |= fseek(own->file, 0, SEEK_SET);
  failed |= fwrite(&own->told, sizeof own->told, 1, own->file) != 1;
  failed |= fclose(own->file);
  free(own->frames);
  free(own->calls);
  free(own->messages);
  free(own);
  return failed;
}
