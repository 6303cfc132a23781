! Kernels in Fortran; each comment is what `scalewatch-agent count` finds.
module kernels
  implicit none
contains
  subroutine matrix(n, a)          ! loop 2: n^2
    integer, intent(in) :: n
    real, intent(inout) :: a(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i, j) = a(i, j) + real(i * j)
      end do
    end do
  end subroutine matrix

  recursive integer function tree(n) result(leaves)   ! called 2 n - 1 times
    integer, intent(in) :: n
    if (n <= 1) then
      leaves = 1
    else
      leaves = tree(n / 2) + tree(n - n / 2)
    end if
  end function tree

  integer function bits(n)         ! loop 1: log n
    integer, intent(in) :: n
    integer :: rest
    bits = 0
    rest = n
    do while (rest > 1)
      rest = rest / 2
      bits = bits + 1
    end do
  end function bits

  subroutine doubled(n, a)         ! loop 2: n^2, of the assignment of a whole array
    integer, intent(in) :: n
    real, intent(inout) :: a(n, n)
    a = 2.0 * a + 1.0
  end subroutine doubled
end module kernels

program main
  use kernels
  implicit none
  character(len=20) :: word
  integer :: n
  real, allocatable :: a(:, :)
  call get_command_argument(1, word)
  read (word, *) n
  allocate (a(n, n))
  a = 0.0
  call matrix(n, a)
  call doubled(n, a)
  print *, tree(n), bits(n), sum(a)
end program main
