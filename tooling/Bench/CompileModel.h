// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun has no compiler, but it can start the one that is installed beside it.

#ifndef TTC_TOOLING_BENCH_COMPILEMODEL_H
#define TTC_TOOLING_BENCH_COMPILEMODEL_H

#include <string>
#include <vector>

namespace ttrun {

/// Whether the name is that of a model, which is compiled first: .onnx or .mlir.
bool isModelFile(const std::string &path);

/// A bundle in a file without a name, which goes with this object.
class CompiledModel {
public:
  /// Compiles by `ttc`, in the folder of this program or else in the PATH. Its messages go to
  /// standard error. Throws UserError if that fails or there is no `ttc`.
  CompiledModel(const std::string &model, const std::vector<std::string> &options);
  ~CompiledModel();
  CompiledModel(const CompiledModel &) = delete;
  CompiledModel &operator=(const CompiledModel &) = delete;

  std::string path() const;
  double seconds() const { return seconds_; }

private:
  int file_ = -1;
  double seconds_ = 0;
};

} // namespace ttrun

#endif // TTC_TOOLING_BENCH_COMPILEMODEL_H
