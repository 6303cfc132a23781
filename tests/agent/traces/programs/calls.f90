! What calls.c does in part, from Fortran: by `use mpi`, or by `use mpi_f08` (-DF08).
#ifdef F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif
program calls
#ifdef F08
   use mpi_f08
#else
   use mpi
#endif
   implicit none
   integer :: rank, own, other, code, at, done, indices(8), index
   logical :: flag
   double precision :: out(100), in(100)
   integer :: ints(8), more(8), counts(2), places(2)
   HANDLE(MPI_Comm) :: turned
   HANDLE(MPI_Request) :: requests(8)
   HANDLE(MPI_Datatype) :: types(2)
   STATUS :: status

   call MPI_Init(code)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
   call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, turned, code)
   call MPI_Comm_rank(turned, own, code)
   other = 1 - own
   out = 0
   ints = 0
   do at = 1, 10
      if (own == 0) then
         call MPI_Send(out, 100, MPI_DOUBLE_PRECISION, other, at, turned, code)
      else
         call MPI_Recv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, turned, MPI_STATUS_IGNORE, code)
      end if
      call MPI_Sendrecv(out, 7, MPI_DOUBLE_PRECISION, other, 3, in, 7, MPI_DOUBLE_PRECISION, other, 3, turned, status, code)
   end do
   do at = 1, 4
      call MPI_Irecv(more(at:at), 1, MPI_INTEGER, MPI_ANY_SOURCE, at, turned, requests(at), code)
   end do
   do at = 1, 4
      call MPI_Isend(ints(at:at), 1, MPI_INTEGER, other, at, turned, requests(4 + at), code)
   end do
   call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, code)
   call MPI_Recv_init(more, 2, MPI_INTEGER, other, 9, turned, requests(1), code)
   call MPI_Send_init(ints, 2, MPI_INTEGER, other, 9, turned, requests(2), code)
   do at = 1, 10
      call MPI_Startall(2, requests, code)
      call MPI_Wait(requests(2), status, code)
#ifdef F08
      ! The index that MPICH 4.0 returns to mpi_f08 is that of C.
      call MPI_Wait(requests(1), status, code)
#else
      call MPI_Waitany(1, requests, index, status, code)
#endif
   end do
   call MPI_Request_free(requests(1), code)
   call MPI_Request_free(requests(2), code)
   call MPI_Irecv(more, 1, MPI_INTEGER, other, 1, turned, requests(1), code)
   call MPI_Isend(ints, 1, MPI_INTEGER, other, 1, turned, requests(2), code)
   call MPI_Waitsome(1, requests(2:2), done, indices, MPI_STATUSES_IGNORE, code)
   flag = .false.
   do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, code)
   end do
   call MPI_Barrier(MPI_COMM_WORLD, code)
   call MPI_Bcast(ints, 4, MPI_INTEGER, 1, MPI_COMM_WORLD, code)
   call MPI_Allreduce(MPI_IN_PLACE, ints, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
   if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, more, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
   else
      call MPI_Gather(ints, 2, MPI_INTEGER, more, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
   end if
   counts = [1, 3]
   places = [0, 8]
   types = [MPI_DOUBLE_PRECISION, MPI_INTEGER]
   call MPI_Alltoallw(out, [counts(rank + 1), counts(rank + 1)], places, &
      [types(rank + 1), types(rank + 1)], in, counts, places, types, MPI_COMM_WORLD, code)
   call MPI_Comm_free(turned, code)
   call MPI_Finalize(code)
end program calls
