// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Tuning/Tuner.h"
#include "CandidateCode.h"
#include "Candidates.h"
#include "ttc/Analysis/GemmPlan.h"
#include "ttc/Analysis/Tuning.h"
#include "ttc/Analysis/WinogradPlan.h"
#include "ttc/Support/ProgressLine.h"
#include "ttc/Support/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::ttc;

using Clock = std::chrono::steady_clock;

/// What a candidate must save, in two measurements, to be taken: less is noise.
static constexpr double kLeastGain = 0.03;
/// The part of the time for kernels; the rest is for plans.
static constexpr double kKernelsPart = 0.6;

struct Tuner::Memory : TuningMemory {};

/// Ops with one key.
struct Tuner::Op {
  std::string key;
  /// One of them.
  Operation *op = nullptr;
  /// The multiply-adds of all of them, for their order.
  double work = 0;
  /// What heuristics choose.
  Attribute estimated;
  /// Other choices to measure in each step, given the best one so far.
  unsigned steps = 1;
  std::function<SmallVector<Attribute>(Attribute best, unsigned step)> getCandidates;
  std::function<Candidate(Attribute)> make;
};

Tuner::Tuner(double seconds, std::string file)
    : seconds(seconds), file(std::move(file)), memory(std::make_unique<Memory>()) {}
Tuner::~Tuner() = default;

double Tuner::getSecondsLeft(double part) const {
  return seconds * part - spent - std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Fails unless this machine has the instructions that the module's code needs.
static LogicalResult checkMachine(ModuleOp module) {
  const CpuTarget target = getCpuTarget(module.getOperation());
  const std::vector<std::string> here = getNeededFeatures(*getCpuTarget("native"));
  for (const std::string &feature : getNeededFeatures(target))
    if (!llvm::is_contained(here, feature))
      return emitError(module.getLoc())
             << "--tune: expected code that runs on this machine, found code for " << target.cpu
             << ", which needs " << feature;
  return success();
}

/// "conv 1x56x56x64, 64x64x3x3"
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << op->getName().getStringRef().rsplit('.').second << ' ';
  llvm::interleaveComma(op->getOperands().take_front(2), out, [&](Value operand) {
    llvm::interleave(tensorType(operand).getShape(), out, "x");
  });
  return text;
}

/// "winograd, tile = [14, 32], outputs = 4"
static std::string describe(Attribute choice) {
  std::string text;
  llvm::raw_string_ostream(text) << choice;
  StringRef inner = StringRef(text).split('<').second;
  return inner.drop_back().str();
}

namespace {

/// Compares candidates for one op.
class Search {
public:
  Search(TuningMemory &memory, const CpuTarget &cpu,
         const std::function<Candidate(Attribute)> &make)
      : memory(memory), cpu(cpu), make(make) {}

  /// The best of `best` and `others`: another one only if it is better in two measurements.
  Attribute choose(Attribute best, ArrayRef<Attribute> others,
                   const std::function<double()> &getSecondsLeft) {
    SmallVector<Attribute> choices{best};
    llvm::append_range(choices, others);
    std::vector<Candidate> candidates;
    candidates.reserve(choices.size());
    SmallVector<Candidate *> lowered;
    for (Attribute choice : choices) {
      candidates.push_back(make(choice));
      if (candidates.back().lower(candidates.size()))
        lowered.push_back(&candidates.back());
      else if (choice == best)
        return best; // nothing to compare with
    }
    if (lowered.size() < 2)
      return best;
    CandidateCode code;
    if (problem = code.load(lowered, cpu); !problem.empty())
      return best;
    if (!memory.reserve(code.getRuns())) {
      problem = "not enough memory";
      return best;
    }
    const std::vector<double> times = measure(code.getRuns(), memory, getSecondsLeft());
    if (times.empty()) {
      problem = "no time left";
      return best;
    }
    if (!first)
      first = last = times[0];
    const size_t fastest = std::min_element(times.begin(), times.end()) - times.begin();
    if (times[fastest] > times[0] * (1 - kLeastGain))
      return best;
    const std::vector<double> again =
        measure({code.getRuns()[0], code.getRuns()[fastest]}, memory, getSecondsLeft());
    if (again.empty() || again[1] > again[0] * (1 - kLeastGain))
      return best;
    // Steps are measured at different times: their gains are multiplied.
    last *= again[1] / again[0];
    return lowered[fastest]->getChoice();
  }

  /// Milliseconds before and after; 0 if nothing was measured.
  double first = 0, last = 0;
  /// Why nothing could be measured.
  std::string problem;

private:
  TuningMemory &memory;
  const CpuTarget &cpu;
  const std::function<Candidate(Attribute)> &make;
};

} // namespace

void Tuner::tune(ModuleOp module, MutableArrayRef<Op> ops, StringRef what, double part) {
  begin = Clock::now();
  // The largest first; the names decide between equal ones.
  llvm::sort(ops, [](const Op &a, const Op &b) {
    return a.work != b.work ? a.work > b.work : a.key < b.key;
  });
  SmallVector<NamedAttribute> measured(entries.begin(), entries.end());
  const CpuTarget cpu = getCpuTarget(module.getOperation());
  size_t number = 0;
  auto say = [](const Twine &text) {
    ProgressLine::clear();
    llvm::errs() << "tune: " << text << "\n";
  };
  // What has been compiled is measured, too, unless that takes long: each call makes progress.
  auto secondsLeft = [&] { return std::max(getSecondsLeft(part), 0.5 + seconds * 0.1); };
  for (Op &op : ops) {
    if (getSecondsLeft(part) <= 0) {
      say("no time left for " + Twine(ops.size() - number) + " of " + Twine(ops.size()) + " " +
          what + "s, which keep their estimates; repeat the command to measure them");
      break;
    }
    ++number;
    Search search(*memory, cpu, op.make);
    Attribute best = op.estimated;
    bool isComplete = true;
    for (unsigned step = 0; step < op.steps && search.problem.empty(); ++step) {
      if (step != 0 && getSecondsLeft(part) <= 0) {
        isComplete = false;
        break;
      }
      SmallVector<Attribute> others = op.getCandidates(best, step);
      if (!others.empty())
        best = search.choose(best, others, secondsLeft);
    }
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "[" << number << "/" << ops.size() << "] " << what << ": " << describe(op.op) << ": ";
    if (!search.problem.empty())
      out << search.problem;
    else if (search.first == 0)
      out << "nothing else is possible";
    else if (best == op.estimated)
      out << llvm::format("%.3f ms, as estimated", search.first);
    else
      out << llvm::format("%.3f -> %.3f ms, ", search.first, search.last) << describe(best);
    say(text);
    // A search that was cut short is repeated the next time, unless it has found something.
    if (search.problem.empty() && (isComplete || best != op.estimated))
      measured.push_back({StringAttr::get(module.getContext(), op.key), best});
  }
  entries = DictionaryAttr::get(module.getContext(), measured);
  setTuning(module, file, measured);
  spent += std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The multiply-adds of an op, or of one like it.
static double getWork(Operation *op) {
  auto counted = dyn_cast<CountedOpInterface>(op);
  return counted ? static_cast<double>(counted.getOperationCount()) : 0;
}

LogicalResult Tuner::tuneKernels(ModuleOp module) {
  if (failed(checkMachine(module)))
    return failure();
  entries = getTuningEntries(module);
  const int64_t vectorLength = getVectorLength(getCpuTarget(module.getOperation()));
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  const bool winograd = !target || target.getL1Bytes() >= 512 * 1024;
  const ConstantBytes constants(module);
  llvm::MapVector<StringRef, Op> found;
  std::vector<std::unique_ptr<std::string>> keys;
  int64_t weights = 0;
  auto walked = module.walk([&](Operation *op) -> WalkResult {
    if (!hasKernelChoice(op))
      return WalkResult::advance();
    if (failed(verifyKernelChoice(op, vectorLength)))
      return WalkResult::interrupt();
    weights += getTensorBytes(tensorType(op->getOperand(1)));
    keys.push_back(std::make_unique<std::string>(getTuningKey(op)));
    if (entries.contains(*keys.back()))
      return WalkResult::advance();
    Op &same = found[*keys.back()];
    same.work += getWork(op);
    if (same.op)
      return WalkResult::advance();
    same.key = *keys.back();
    same.op = op;
    KernelChoiceAttr estimated =
        estimateKernelChoice(op, vectorLength, {winograd}, constants.get(op));
    same.estimated = estimated;
    same.getCandidates = [=](Attribute, unsigned) {
      return getKernelCandidates(op, estimated, vectorLength, winograd);
    };
    same.make = [=](Attribute choice) {
      return Candidate::makeOfOp(op, cast<KernelChoiceAttr>(choice));
    };
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  memory->setModelWeights(weights);
  SmallVector<Op> ops;
  for (auto &entry : found)
    ops.push_back(std::move(entry.second));
  tune(module, ops, "kernel", kKernelsPart);
  return success();
}

LogicalResult Tuner::tunePlans(ModuleOp module) {
  llvm::DenseMap<StringAttr, int64_t> uses;
  module.walk([&](DispatchOp dispatch) { ++uses[dispatch.getProgramAttr().getAttr()]; });
  llvm::StringMap<size_t> numbers;
  SmallVector<Op> ops;
  for (auto program : module.getOps<ProgramOp>()) {
    if (program.isExternal() || !program.hasTensorBody() || program.getShards())
      continue;
    auto gemms = llvm::to_vector(program.getBody().getOps<KernelGemmOp>());
    if (gemms.size() != 1 || gemms[0].getType().getNumElements() == 0)
      continue;
    KernelGemmOp gemm = gemms[0];
    const std::string key = getTuningKey(gemm);
    GemmPlanAttr estimated = planGemm(gemm);
    if (entries.contains(key) || !estimated)
      continue;
    auto [place, isNew] = numbers.try_emplace(key, ops.size());
    if (isNew)
      ops.emplace_back();
    Op &same = ops[place->second];
    same.work += getWork(gemm) * static_cast<double>(uses.lookup(program.getSymNameAttr()));
    if (!isNew)
      continue;
    same.key = key;
    same.op = gemm;
    same.estimated = estimated;
    same.steps = kPlanSteps;
    same.getCandidates = [=](Attribute best, unsigned step) {
      return getPlanCandidates(gemm, cast<GemmPlanAttr>(best), step);
    };
    same.make = [=](Attribute plan) {
      return Candidate::makeOfProgram(program, gemm, cast<GemmPlanAttr>(plan));
    };
  }
  tune(module, ops, "plan", 1);
  return success();
}
