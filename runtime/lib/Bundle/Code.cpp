// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bundle/Code.h"

#include "Base/Format.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ttrt {

/// The error in a text of the C library, if it is one of the system and not of the file; otherwise
/// 0.
static int systemError(const std::string &text) {
  // For lack of memory, which glibc does not always say. The segments have been checked.
  if (text.find("failed to map segment") != std::string::npos)
    return ENOMEM;
  for (int number : {ENOMEM, EMFILE, ENFILE, EIO, EACCES, EPERM, EAGAIN, ENOENT})
    if (text.ends_with(strerror(number)))
      return number;
  return 0;
}

/// Throws Error for a dlopen() that failed and left `number` in errno.
[[noreturn]] static void failToLoad(int number) {
  const char *text = dlerror(); // null if there is no memory for it
  const std::string reason = text ? text : strerror(ENOMEM);
  // Without memory, the text is cut. Other errors are not left in errno.
  if (number != ENOMEM)
    number = systemError(reason);
  if (number && access("/proc/self/fd", F_OK) != 0)
    fail(TTRT_IO_ERROR, "cannot load the code: /proc is not mounted");
  if (number)
    fail(number == ENOMEM ? TTRT_OUT_OF_MEMORY : TTRT_IO_ERROR, "cannot load the code: {}",
         strerror(number));
  failBad("cannot load the code: {}", reason);
}

Code::Code(const Bundle &bundle) {
  const SegmentView &code = bundle.segment(fb::SegmentKind::Code);
  const auto *programs = bundle.metadata().programs();
  functions_.resize(count(programs)); // null where a host function computes it
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
    const std::string path = formatText("/proc/self/fd/{}", descriptor_);
    errno = 0;
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_)
      failToLoad(errno);
    for (uint32_t i = 0; i < count(programs); ++i) {
      if (programs->Get(i)->host_function())
        continue;
      const char *symbol = text(programs->Get(i)->symbol());
      functions_[i] = reinterpret_cast<ProgramFunction *>(dlsym(library_, symbol));
      if (!functions_[i])
        failBad("the code has no program '{}'", symbol);
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
