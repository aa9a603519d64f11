// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that misbehave while they run. x86-64 Linux; built with TestPrograms.c.

#include <stdint.h>

#define PROGRAM(name)                                                                              \
  __attribute__((visibility("default"))) void name(const uint64_t *operands, uint8_t *base,        \
                                                   uint8_t *scratch, uint64_t workgroup)

#if defined(__x86_64__)

static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}

#define UNUSED (void)operands, (void)base, (void)scratch, (void)workgroup

// Each makes one system call, on whichever core runs the last workgroup.
#define CALLS(name, number, a, b, c)                                                               \
  PROGRAM(hostile_##name) {                                                                        \
    UNUSED;                                                                                        \
    if (workgroup == 15)                                                                           \
      call(number, (long)(a), (long)(b), (long)(c));                                               \
  }

static const char file[] = "/etc/passwd";
CALLS(open, 2, file, 0, 0)
CALLS(openat, 257, -100, file, 0)
CALLS(read, 0, 0, scratch, 1)
CALLS(write, 1, 2, file, 5)
CALLS(socket, 41, 1, 1, 0)
CALLS(execve, 59, file, 0, 0)
CALLS(fork, 57, 0, 0, 0)
CALLS(clone, 56, 0, 0, 0)
CALLS(kill, 62, 1, 0, 0)
CALLS(ptrace, 101, 0, 0, 0)
CALLS(prctl, 157, 4, 1, 0)
CALLS(mmap, 9, 0, 4096, 7)
CALLS(mprotect, 10, (long)base & -4096, 4096, 7)
CALLS(seccomp, 317, 1, 0, 0)
CALLS(io_uring, 425, 1, 0, 0)
CALLS(memfd, 319, file, 0, 0)
CALLS(requeue, 202, scratch, 3, 0)
CALLS(x32, 0x40000000 + 39, 0, 0, 0)
CALLS(exit, 231, 7, 0, 0)

// A 32-bit call: getpid.
PROGRAM(hostile_compat) {
  UNUSED;
  long result = 20;
  __asm__ volatile("int $0x80" : "+a"(result)::"memory");
}

PROGRAM(hostile_crash) {
  UNUSED;
  *(volatile int *)8 = 1;
}

// Copies 64 bytes from the address that the first 8 bytes of the input hold.
PROGRAM(hostile_peek) {
  (void)scratch;
  if (workgroup != 0)
    return;
  const uint8_t *from = *(const uint8_t *const *)(base + operands[0]);
  for (int i = 0; i < 64; ++i)
    (base + operands[2])[i] = from[i];
}

#endif
