// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Base/ForkGuard.h"

#include "Base/Format.h"
#include "ttrt/format/bundle_format.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace ttrt {

ForkGuard::ForkGuard() : pid_(getpid()) {
  void *address =
      mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    fail(TTRT_OUT_OF_MEMORY, "cannot get a page of memory: {}", strerror(errno));
  page_ = static_cast<std::atomic<uint32_t> *>(address);
  // Before Linux 4.14 it does not: then the page stays 0 and the process is compared.
  wipes_ = madvise(address, kPageSize, MADV_WIPEONFORK) == 0;
  page_->store(wipes_, std::memory_order_relaxed);
}

ForkGuard::~ForkGuard() { munmap(page_, kPageSize); }

bool ForkGuard::isOther() const noexcept { return wipes_ || getpid() != pid_; }

} // namespace ttrt
