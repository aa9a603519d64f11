// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How every tool writes files. It does not use LLVM, because ttrun does not link it; OutputFile.h
// makes an llvm::raw_ostream of it, and WriteFile.h a call with all the bytes.

#ifndef TTC_TOOLING_SUPPORT_FILEWRITER_H
#define TTC_TOOLING_SUPPORT_FILEWRITER_H

#include <string>
#include <string_view>

namespace ttc {

/// A file that appears under its name only when it is complete. Until keep() succeeds, the previous
/// file of that name stays as it is: a failed or killed tool never destroys an earlier result.
///
/// The first byte written makes a file without a name (O_TMPFILE) in the same folder, of which
/// nothing remains if the process ends. keep() syncs it, gives it the name, and syncs the folder.
/// To replace an existing file it first gets a name of its own, ".NAME.RANDOM.tmp", and then
/// takes the other's by rename(), the next system call: a process killed between the two leaves
/// that complete file. So it is from the start on a file system that has no files without a name.
///
/// A new file has the permissions that the umask leaves; one that replaces another has those of the
/// old one. The file that a symbolic link names is replaced, not the link.
///
/// Written directly, without any of this: "-" and "/dev/stdout" (standard output), "/dev/stderr",
/// "/dev/fd/N", and whatever is no regular file (a device, a pipe).
///
/// Not thread-safe. No function throws except std::bad_alloc.
class FileWriter {
public:
  /// Opens nothing.
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter &) = delete;
  FileWriter &operator=(const FileWriter &) = delete;
  /// Without keep() before it, the file is as if nothing had been written.
  ~FileWriter();

  /// Whether the path can be written, if that can be told without making a file; opens what is
  /// written directly. False with reason(). Optional: write() does the same.
  bool open();
  /// Appends. False with reason(); then all later calls fail with the same reason.
  bool write(std::string_view bytes);
  /// Completes the file, empty if nothing was written. False with reason(): the old file is there.
  bool keep();

  /// Why a call failed: "No space left on device".
  const std::string &reason() const { return problem; }
  /// "'x.ttcb'", or "standard output".
  std::string describe() const;
  /// Whether open() found a terminal.
  bool isTerminal() const;
  /// The name that the unfinished file has; empty where it has none.
  const std::string &temporaryPath() const { return temporary; }

private:
  bool fail(int error, std::string_view what = {});
  bool failInFolder(int error);
  bool openFolder();
  bool makeFile();
  bool giveName();
  bool syncFolder();
  std::string makeName() const;
  void discard();

  enum class State { Closed, Open, Direct, Writing, Failed, Kept };
  std::string path;
  std::string folderPath, name; ///< of the file itself, links followed
  std::string temporary;
  std::string problem;
  State state = State::Closed;
  bool replaces = false;
  unsigned permissions = 0; ///< of the file that is replaced
  int folder = -1, file = -1;
};

} // namespace ttc

#endif // TTC_TOOLING_SUPPORT_FILEWRITER_H
