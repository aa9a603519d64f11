// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttrun run --trace-values: the results of a model's nodes, as files, and the first one that is
// wrong.

#ifndef TTC_TOOLS_TTRUN_TRACEVALUES_H
#define TTC_TOOLS_TTRUN_TRACEVALUES_H

#include "Run/Session.h"

#include <string>
#include <vector>

namespace ttrun {

class Json;

struct TraceOptions {
  std::string folder; ///< empty: no values
  std::vector<std::string> only;
  std::string against, model, python;
  std::string restore; ///< a file with states; empty: none
  double rtol = 1e-3, atol = 1e-5;

  void declare(OptionParser &parser);
  /// Throws UserError if options need others that are not given.
  void check() const;
};

/// Runs the entry point with the values of `session`'s, on the same inputs, and writes them.
/// `session` has run once. Prints what was found, or adds it to `json`. Returns whether all values
/// agree with the other engine, if there is one. `name` is that of the bundle, or of its model.
bool traceValues(const std::string &name, const std::string &path, Session &session,
                 const SessionOptions &options, const TraceOptions &trace, Json *json);

} // namespace ttrun

#endif // TTC_TOOLS_TTRUN_TRACEVALUES_H
