// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Code.h"

#include "Format.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ttrt {

Code::Code(const Bundle &bundle) {
  const SegmentView &code = bundle.segment(fb::SegmentKind::Code);
  if (!code.size)
    return;
  try {
    descriptor_ = memfd_create("ttrt-code", MFD_CLOEXEC);
    if (descriptor_ < 0)
      fail(TTRT_IO_ERROR, "cannot make a file in memory for the code: {}", strerror(errno));
    for (uint64_t done = 0; done < code.size;) {
      ssize_t written = write(descriptor_, code.data + done, code.size - done);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        fail(TTRT_OUT_OF_MEMORY, "cannot copy the code: {}", strerror(errno));
      done += static_cast<uint64_t>(written);
    }
    // The dynamic loader compares names before files. The descriptor stays open as long as the
    // library does, so that no other library of ours gets the same name.
    library_ = dlopen(formatText("/proc/self/fd/{}", descriptor_).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) {
      // Running out of file descriptors is not the bundle's fault.
      const std::string reason = dlerror();
      const int probe = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
      if (probe < 0)
        fail(TTRT_IO_ERROR, "cannot load the code: {}", strerror(errno));
      close(probe);
      if (access("/proc/self/fd", F_OK) != 0)
        fail(TTRT_IO_ERROR, "cannot load the code: /proc is not mounted");
      failBad("cannot load the code: {}", reason);
    }
    const auto *programs = bundle.metadata().programs();
    for (uint32_t i = 0; i < count(programs); ++i) {
      const char *symbol = text(programs->Get(i)->symbol());
      auto *function = reinterpret_cast<ProgramFunction *>(dlsym(library_, symbol));
      if (!function)
        failBad("the code has no program '{}'", symbol);
      functions_.push_back(function);
    }
  } catch (...) {
    release();
    throw;
  }
}

Code::~Code() { release(); }

void Code::release() {
  if (library_)
    dlclose(library_);
  if (descriptor_ >= 0)
    close(descriptor_);
}

} // namespace ttrt
