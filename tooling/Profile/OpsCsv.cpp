// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Formats/Printing.h"
#include "Profile/CounterSums.h"
#include "Profile/Files.h"
#include "Profile/Roofline.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace ttrun::report {

using namespace ttrt::profile;

namespace {
/// The columns before those of operands. The order is that of Row's fields.
const char *const kColumnNames[] = {"OP CODE",
                                    "OP TYPE",
                                    "GLOBAL CALL COUNT",
                                    "DEVICE ID",
                                    "QUEUE",
                                    "ATTRIBUTES",
                                    "PROGRAM",
                                    "SOURCE",
                                    "CORE COUNT",
                                    "GRID",
                                    "HOST START TS",
                                    "HOST END TS",
                                    "HOST DURATION [ns]",
                                    "DEVICE FW START CYCLE",
                                    "DEVICE FW END CYCLE",
                                    "OP TO OP LATENCY [ns]",
                                    "DEVICE FW DURATION [ns]",
                                    "DEVICE KERNEL DURATION [ns]",
                                    "DEVICE KERNEL DURATION PER CORE MIN [ns]",
                                    "DEVICE KERNEL DURATION PER CORE MAX [ns]",
                                    "DEVICE KERNEL DURATION PER CORE AVG [ns]",
                                    "DEVICE TIME SHARE [ns]",
                                    "BARRIER WAIT [ns]",
                                    "DRAM READ [bytes]",
                                    "DRAM WRITTEN [bytes]",
                                    "L1 READ [bytes]",
                                    "L1 WRITTEN [bytes]",
                                    "DRAM BANDWIDTH [bytes/s]",
                                    "FLOPS",
                                    "PM IDEAL [ns]",
                                    "PM COMPUTE [ns]",
                                    "PM BANDWIDTH [ns]",
                                    "PM FPU UTIL (%)",
                                    "DRAM BW UTIL (%)",
                                    "DRAM BEFORE [bytes]",
                                    "DRAM AFTER [bytes]",
                                    "L1 BEFORE [bytes]",
                                    "L1 AFTER [bytes]",
                                    "METAL TRACE ID",
                                    "METAL TRACE REPLAY SESSION ID"};
constexpr size_t kColumns = std::size(kColumnNames);

class OpsCsv {
public:
  explicit OpsCsv(const Analysis &a) : a(a) {}

  std::string write() {
    countOperands();
    for (size_t i = 0; i < kColumns; ++i)
      fmt::format_to(out(), "{}{}", i ? "," : "", kColumnNames[i]);
    csv += counterColumns(a.log);
    for (const auto &[word, count] : {std::pair("INPUT", inputs), std::pair("OUTPUT", outputs)})
      for (size_t i = 0; i < count; ++i)
        for (const char *what : {"SHAPE", "DATATYPE", "MEMORY", "BUFFER"})
          fmt::format_to(out(), ",{}_{}_{}", word, i, what);
    csv += '\n';

    std::vector<const Text *> signposts;
    for (const Text &text : a.log.texts)
      if (text.kind == TextKind::Signpost)
        signposts.push_back(&text);
    std::sort(signposts.begin(), signposts.end(), [](const Text *x, const Text *y) {
      return std::pair(x->hostNs, x) < std::pair(y->hostNs, y); // of equal time, in the log's order
    });
    size_t op = 0, step = 0, signpost = 0;
    for (;;) {
      const int64_t ends = INT64_MAX;
      const int64_t opTime = op < a.ops.size() ? a.ops[op].begin : ends;
      const int64_t stepTime = step < a.steps.size() ? a.steps[step].begin : ends;
      const int64_t postTime =
          signpost < signposts.size() ? hostTime(signposts[signpost]->hostNs) : ends;
      if (signpost < signposts.size() && postTime <= std::min(opTime, stepTime))
        row(*signposts[signpost++]);
      else if (step < a.steps.size() && stepTime <= opTime)
        row(a.steps[step++]);
      else if (op < a.ops.size())
        row(a.ops[op++]);
      else
        return std::move(csv);
    }
  }

private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(csv); }

  void countOperands() {
    for (const DeviceModel &model : a.models)
      for (const StepInfo &step : model.steps)
        if (step.ops)
          for (const OpInfo &op : *step.ops) {
            size_t in = 0, written = 0;
            for (const OperandInfo &operand : op.operands) {
              in += operand.read;
              written += operand.write;
            }
            inputs = std::max(inputs, in);
            outputs = std::max(outputs, written);
          }
  }

  int64_t relative(int64_t hostNs) const { return hostNs - hostTime(a.log.start.hostNs); }

  void operandsOf(const OpInfo *op, bool wanted, size_t columns) {
    size_t count = 0;
    if (op)
      for (const OperandInfo &operand : op->operands)
        if (wanted ? operand.read : operand.write) {
          fmt::format_to(out(), ",{},{},{},{}", csvField(operand.shape), csvField(operand.dtype),
                         operand.memory, csvField(operand.buffer));
          ++count;
        }
    csv.append(4 * (columns - count), ',');
  }

  void idealColumns(const OpInfo &op, const Limits &limits, double duration) {
    const Ideal ideal = idealOf(op, limits);
    csv += ',';
    if (op.flops)
      fmt::format_to(out(), "{}", op.flops);
    for (const std::optional<double> &time : {ideal.least(), ideal.compute, ideal.bandwidth}) {
      csv += ',';
      if (time)
        fmt::format_to(out(), "{:.0f}", *time);
    }
    for (const std::optional<double> &time : {ideal.compute, ideal.bandwidth}) {
      csv += ',';
      if (const std::optional<double> share = shareOf(time, duration))
        fmt::format_to(out(), "{:.2f}", 100 * *share);
    }
  }

  void row(const OpRun &run) {
    const DeviceModel &model = a.models[run.device];
    const OpInfo *op = model.op(run.step, run.command);
    const StepInfo *step = model.step(run.step);
    const std::string name = model.opName(run.step, run.command);
    fmt::format_to(out(), "{},{},{},{},{},", csvField(op ? op->kind : name),
                   op && op->exchanges ? "exchange" : "device", ++calls, run.device, run.queue);
    if (op)
      fmt::format_to(out(), "{}",
                     csvField(fmt::format("{{'action': '{}'; 'entry': '{}'; 'command': {}}}",
                                          op->action, step->entry, run.command)));
    fmt::format_to(out(), ",{},{},{},{}", csvField(name), csvField(op ? op->source : ""), run.cores,
                   op ? std::to_string(op->grid) : "");
    fmt::format_to(out(), ",{},{},,{},{},", relative(run.begin), relative(run.end), run.beginTicks,
                   run.endTicks);
    if (run.hasLatency)
      fmt::format_to(out(), "{}", run.latency);
    fmt::format_to(out(), ",{:.0f},{:.0f},{:.0f},{:.0f},{:.0f},{:.0f},{:.0f}",
                   a.clock.nanoseconds(run.endTicks - run.beginTicks), run.most, run.least,
                   run.most, run.sum / run.cores, run.share, run.waitBefore);
    if (op) {
      const auto dram = static_cast<size_t>(Space::Dram), l1 = static_cast<size_t>(Space::L1);
      fmt::format_to(out(), ",{},{},{},{},", op->read[dram], op->written[dram], op->read[l1],
                     op->written[l1]);
      if (run.most > 0)
        fmt::format_to(out(), "{:.0f}",
                       static_cast<double>(op->read[dram] + op->written[dram]) / run.most * 1e9);
      idealColumns(*op, a.limits[run.device], run.most);
    } else {
      csv += ",,,,,,,,,,,";
    }
    if (op && op->usesKnown)
      fmt::format_to(out(), ",{},{},{},{}", op->dramBefore, op->dramAfter, op->l1Before,
                     op->l1After);
    else
      csv += ",,,,";
    csv += ',';
    if (step && step->trace >= 0 && run.execution != kNone)
      fmt::format_to(out(), "{},{}", step->trace, a.executions[run.execution].session);
    else
      csv += ',';
    csv += counterCells(a, run.counts);
    operandsOf(op, /*wanted=*/true, inputs);
    operandsOf(op, /*wanted=*/false, outputs);
    csv += '\n';
  }

  void row(const StepRun &run) {
    const DeviceModel &model = a.models[run.device];
    const StepInfo *step = model.step(run.step);
    const bool isHost = step && step->role == StepRole::HostWork;
    fmt::format_to(out(), "{},{},{},{},{},{},,{},,,{},{},{}", csvField(step ? step->kind : "step"),
                   isHost ? "host" : "transfer", ++calls, run.device, run.queue,
                   csvField(model.stepText(run.step)), csvField(step ? step->source : ""),
                   relative(run.begin), relative(run.end), run.end - run.begin);
    finish(13);
  }

  void row(const Text &signpost) {
    const int64_t time = relative(hostTime(signpost.hostNs));
    fmt::format_to(out(), "{},signpost,,,,{},,,,,{},{}", csvField(signpost.first),
                   csvField(signpost.second), time, time);
    finish(12);
  }

  /// The other columns are empty.
  void finish(size_t columns) {
    csv.append(kColumns + counterColumnCount(a.log) + 4 * (inputs + outputs) - columns, ',');
    csv += '\n';
  }

  const Analysis &a;
  std::string csv;
  size_t inputs = 0, outputs = 0;
  uint64_t calls = 0;
};
} // namespace

std::string opsCsv(const Analysis &analysis) { return OpsCsv(analysis).write(); }

} // namespace ttrun::report
