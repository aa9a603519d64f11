// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program's code must not have, one kind at a time. Built with TestPrograms.c.

#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

#if defined(CONSTRUCTOR)
volatile int marker;
__attribute__((constructor)) static void runFirst(void) { marker = 1; }
#elif defined(DESTRUCTOR)
volatile int marker;
__attribute__((destructor)) static void runLast(void) { marker = 1; }
#elif defined(FUNCTION) // named by -init or -fini
EXPORTED void function(void) {}
#elif defined(IFUNC) || defined(HIDDEN_IFUNC)
static volatile int which;
static void one(void) { which = 1; }
static void other(void) { which = 2; }
static void (*choose(void))(void) { return which ? one : other; }
#ifdef IFUNC
EXPORTED void function(void) __attribute__((ifunc("choose")));
#else
void function(void) __attribute__((ifunc("choose")));
EXPORTED void (*pointer)(void) = function;
#endif
#elif defined(UNDEFINED)
extern int elsewhere;
EXPORTED int *pointer(void) { return &elsewhere; }
#elif defined(CALL)
extern int elsewhere(void);
EXPORTED int call(void) { return elsewhere(); }
#elif defined(SYMBOLIC)
EXPORTED int variable = 1;
EXPORTED int *pointer = &variable;
#elif defined(TLS)
EXPORTED __thread int variable;
#elif defined(TEXT_RELOCATION)
__asm__(".text\n.globl inside\ninside: .quad inside\n");
#elif defined(WRITABLE_CODE)
__asm__(".section .both,\"awx\",@progbits\nret\n.previous\n");
#elif defined(INTERPRETER)
__attribute__((section(".interp"), used)) static const char interpreter[] = "/bin/false";
#elif defined(NOTE)
__asm__(".section .note.test,\"a\",@note\n.long 4,0,1\n.ascii \"ttc\\0\"\n.previous\n");
#elif defined(ALIAS)
EXPORTED void test_first_name(const uint64_t *operands, uint8_t *base, uint8_t *scratch,
                              uint64_t workgroup) {
  (void)operands, (void)base, (void)scratch, (void)workgroup;
}
EXPORTED void test_second_name(const uint64_t *, uint8_t *, uint8_t *, uint64_t)
    __attribute__((alias("test_first_name")));
#elif defined(NOT_A_FUNCTION)
EXPORTED int test_variable = 1;
EXPORTED __attribute__((weak)) void test_weak(void) {}
#elif defined(RELATIVE) // allowed: a relative relocation into data that is not executable
static const int first = 1, second = 2;
EXPORTED const int *const volatile test_table[] = {&first, &second};
#endif
