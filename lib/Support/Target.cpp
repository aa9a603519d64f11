// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ttc/Support/Target.h"
#include "ttrt/format/bundle_format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"
#include <unistd.h>

using namespace mlir;
using namespace mlir::ttc;

namespace {

/// A target without its code: what a name or a JSON file describes.
struct Machine {
  std::string name;
  int64_t gridRows = 1, gridCols = 1;
  int64_t l1Bytes = 0, l1Alignment = 64;
  int64_t dramBanks = 1, dramBankBytes = 0, dramAlignment = 64;
  int64_t queues = 2, chips = 1;
  int64_t linkBytesPerSecond = 0;
  bool interleavedL1 = false;
  // The host that runs the code, if the description names it (that of ttrun query does).
  std::string arch = {};
  std::optional<std::vector<std::string>> features = {};
};

constexpr int64_t KiB = 1024, GiB = KiB * KiB * KiB;
constexpr int64_t kDramUnit = 256 * KiB * KiB;

/// L1 and DRAM of a CPU that is not this machine's: a usual L2 cache, and more than models need.
/// The runtime reserves DRAM as address space and takes memory only for the pages that a plan uses.
constexpr int64_t kOtherL1Bytes = 512 * KiB, kOtherDramBytes = 64 * GiB;

/// What `name` of sysconf() says of this machine; 0 if it says nothing.
int64_t getSystemValue(int name) { return std::max<int64_t>(sysconf(name), 0); }

/// This machine. L1 is each core's own memory, its L2 cache; DRAM is the physical memory, in whole
/// 256 MiB, so that a kernel that keeps a little more for itself gives the same bundle. For another
/// CPU than this machine's, the bundle does not depend on this machine.
Machine getCpu(StringRef cpu) {
  bool isNative = cpu == "native";
  int64_t cores = isNative ? getSystemValue(_SC_NPROCESSORS_ONLN) : 1;
  int64_t l2 = isNative ? getSystemValue(_SC_LEVEL2_CACHE_SIZE) : 0;
  int64_t memory =
      isNative ? getSystemValue(_SC_PHYS_PAGES) * getSystemValue(_SC_PAGESIZE) : kOtherDramBytes;
  if (l2 < 256 * KiB) // unknown, or shared by what the system calls a core
    l2 = kOtherL1Bytes;
  Machine machine;
  machine.name = "cpu";
  machine.gridCols = std::max<int64_t>(cores, 1);
  machine.l1Bytes = llvm::alignTo(l2, ttrt::kPageSize);
  machine.dramBankBytes = std::max(memory / kDramUnit * kDramUnit, kDramUnit);
  return machine;
}

/// The bytes per second that sixteen lanes of PCI Express move in one direction, at one bit per
/// transfer and lane; 128 of 130 bits are data.
constexpr int64_t getPcieX16(int64_t transfersPerSecond) {
  return transfersPerSecond / 130 * 128 * 16 / 8;
}
constexpr int64_t kPcie4 = getPcieX16(16'000'000'000), kPcie5 = getPcieX16(32'000'000'000);

const Machine builtIn[] = {
    {"wormhole_n150", 8, 8, 1499136, 16, 12, GiB, 32, 2, 1, kPcie4, true},
    {"wormhole_n300", 8, 7, 1499136, 16, 12, GiB, 32, 2, 1, kPcie4, true}, // one of its two chips
    {"blackhole_p150", 13, 10, 1572864, 16, 8, 4278190080, 64, 2, 1, kPcie5, true},
};

} // namespace

/// The most brackets that are open at once. llvm::json::parse() recurses into each.
static size_t getNesting(StringRef json) {
  size_t open = 0, most = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && (c == '[' || c == '{'))
      most = std::max(most, ++open);
    else if (!inString && (c == ']' || c == '}') && open > 0)
      --open;
  }
  return most;
}

static FailureOr<Machine> readMachine(StringRef path,
                                      llvm::function_ref<InFlightDiagnostic()> emitError) {
  // A description is an object with an array; one of a megabyte is another file.
  constexpr size_t mostBytes = 1 << 20, mostNesting = 16;
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(path, status);
  if (!error && !llvm::sys::fs::is_directory(status) &&
      (!llvm::sys::fs::is_regular_file(status) || status.getSize() > mostBytes))
    return emitError() << "target '" << path << "': expected a file of at most " << mostBytes
                       << " bytes, found "
                       << (llvm::sys::fs::is_regular_file(status)
                               ? std::to_string(status.getSize()) + " bytes"
                               : "a device or a pipe");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError() << "cannot open target '" << path << "': " << file.getError().message();
  if (size_t nesting = getNesting((*file)->getBuffer()); nesting > mostNesting)
    return emitError() << "target '" << path << "': expected at most " << mostNesting
                       << " nested arrays and objects, found " << nesting;
  llvm::Expected<llvm::json::Value> json = llvm::json::parse((*file)->getBuffer());
  if (!json)
    return emitError() << "target '" << path << "': " << llvm::toString(json.takeError());
  llvm::json::Object *object = json->getAsObject();
  std::optional<StringRef> name = object ? object->getString("name") : std::nullopt;
  if (!name)
    return emitError() << "target '" << path << "': expected an object with a string \"name\"";

  Machine machine;
  machine.name = name->str();
  // A key is required if it has no sensible default.
  struct Field {
    StringRef key;
    int64_t *value;
    bool required;
  } fields[] = {
      {"grid_rows", &machine.gridRows, true},
      {"grid_cols", &machine.gridCols, true},
      {"l1_bytes", &machine.l1Bytes, true},
      {"l1_alignment", &machine.l1Alignment, false},
      {"dram_banks", &machine.dramBanks, true},
      {"dram_bank_bytes", &machine.dramBankBytes, true},
      {"dram_alignment", &machine.dramAlignment, false},
      {"queues", &machine.queues, false},
      {"chips", &machine.chips, false},
      {"link_bytes_per_second", &machine.linkBytesPerSecond, false},
  };
  for (Field &field : fields) {
    std::optional<int64_t> value = object->getInteger(field.key);
    if (value && *value >= 1)
      *field.value = *value;
    else if (object->get(field.key) || field.required)
      return emitError() << "target '" << path << "': expected a whole number of at least 1 for \""
                         << field.key << "\"";
  }
  if (const llvm::json::Value *interleaved = object->get("interleaved_l1")) {
    if (!interleaved->getAsBoolean())
      return emitError() << "target '" << path
                         << "': expected true or false for \"interleaved_l1\"";
    machine.interleavedL1 = *interleaved->getAsBoolean();
  }
  for (StringRef key : {"arch", "model"})
    if (object->get(key) && !object->getString(key))
      return emitError() << "target '" << path << "': expected a string for \"" << key << "\"";
  machine.arch = object->getString("arch").value_or("").str();
  if (const llvm::json::Value *features = object->get("features")) {
    machine.features.emplace();
    if (!features->getAsArray() || llvm::any_of(*features->getAsArray(), [](const auto &feature) {
          return !feature.getAsString();
        }))
      return emitError() << "target '" << path
                         << "': expected an array of strings for \"features\"";
    for (const llvm::json::Value &feature : *features->getAsArray())
      machine.features->push_back(feature.getAsString()->str());
  }
  for (const auto &entry : *object) {
    StringRef key = entry.first;
    if (!llvm::is_contained({"name", "arch", "model", "features", "interleaved_l1"}, key) &&
        llvm::none_of(fields, [&](const Field &f) { return f.key == key; }))
      return emitError() << "target '" << path << "': unknown key \"" << key << "\"";
  }
  return machine;
}

/// Checks that the host that the description names can run the code.
static LogicalResult checkCode(const Machine &machine, const CpuTarget &code, StringRef cpu,
                               llvm::function_ref<InFlightDiagnostic()> emitError) {
  llvm::Triple triple(code.triple);
  StringRef arch = llvm::Triple::getArchTypeName(triple.getArch());
  if (!machine.arch.empty() && machine.arch != arch)
    return emitError() << "target '" << machine.name << "': expected code for " << machine.arch
                       << ", found that of " << cpu << ", which is " << arch;
  if (!machine.features)
    return success();
  std::string missing;
  for (const std::string &needed : getNeededFeatures(code))
    if (!llvm::is_contained(*machine.features, needed))
      missing += (missing.empty() ? "" : ", ") + needed;
  if (missing.empty())
    return success();
  return emitError() << "target '" << machine.name << "': expected code that needs no more than "
                     << "its \"features\", found that of " << code.cpu << ", which needs "
                     << missing << "; --target-cpu chooses another CPU";
}

/// Rejects what no runtime can load now, not when the bundle is opened.
static LogicalResult checkMachine(const Machine &machine,
                                  llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto expected = [&](const Twine &what, int64_t found) {
    return emitError() << "target '" << machine.name << "': expected " << what << ", found "
                       << found;
  };
  // Device memory is mapped by pages.
  for (auto [what, bytes] :
       {std::pair("l1_bytes", machine.l1Bytes), {"dram_bank_bytes", machine.dramBankBytes}})
    if (bytes % ttrt::kPageSize != 0)
      return expected(Twine(what) + " to be a multiple of " + Twine(ttrt::kPageSize), bytes);
  for (auto [what, bytes] :
       {std::pair("l1_alignment", machine.l1Alignment), {"dram_alignment", machine.dramAlignment}})
    if (!llvm::isPowerOf2_64(bytes) || bytes > int64_t(ttrt::kPageSize))
      return expected(Twine(what) + " to be a power of two up to " + Twine(ttrt::kPageSize), bytes);
  if (machine.queues > ttrt::kMaxQueues)
    return expected("queues of 1 to " + Twine(ttrt::kMaxQueues), machine.queues);
  if (machine.chips != 1)
    return expected("chips to be 1: a bundle is for one chip", machine.chips);
  // Products below cannot overflow.
  constexpr int64_t most = ttrt::kMaxUnits, limit = ttrt::kMaxDeviceBytes;
  if (machine.gridRows > most || machine.gridCols > most / machine.gridRows)
    return emitError() << "target '" << machine.name << "': expected a grid of at most " << most
                       << " cores, found " << machine.gridRows << " x " << machine.gridCols;
  if (machine.dramBanks > most)
    return expected("at most " + Twine(most) + " DRAM banks", machine.dramBanks);
  for (auto [units, bytes] : {std::pair(machine.gridRows * machine.gridCols, machine.l1Bytes),
                              {machine.dramBanks, machine.dramBankBytes}})
    if (bytes > limit / units)
      return emitError() << "target '" << machine.name << "': expected memory of at most " << limit
                         << " bytes, found " << units << " x " << bytes;
  return success();
}

FailureOr<TargetAttr> mlir::ttc::getTarget(MLIRContext *context, StringRef nameOrFile,
                                           StringRef cpu,
                                           llvm::function_ref<InFlightDiagnostic()> emitError) {
  Machine machine;
  if (nameOrFile == "cpu") {
    machine = getCpu(cpu);
  } else if (nameOrFile.ends_with(".json")) {
    FailureOr<Machine> read = readMachine(nameOrFile, emitError);
    if (failed(read))
      return failure();
    machine = *read;
  } else {
    const Machine *found =
        llvm::find_if(builtIn, [&](const Machine &m) { return m.name == nameOrFile; });
    if (found == std::end(builtIn)) {
      InFlightDiagnostic error = emitError();
      error << "expected a target (cpu";
      for (const Machine &known : builtIn)
        error << ", " << known.name;
      return error << ", or a file that ends with .json), found '" << nameOrFile << "'";
    }
    machine = *found;
  }
  if (failed(checkMachine(machine, emitError)))
    return failure();
  std::optional<CpuTarget> code = getCpuTarget(cpu);
  if (!code)
    return emitError() << "expected LLVM's name of a CPU of x86-64 or AArch64, or native, found '"
                       << cpu << "'";
  if (failed(checkCode(machine, *code, cpu, emitError)))
    return failure();
  return TargetAttr::get(context, machine.name, code->triple, code->cpu, code->features,
                         machine.gridRows, machine.gridCols, machine.l1Bytes, machine.l1Alignment,
                         machine.dramBanks, machine.dramBankBytes, machine.dramAlignment,
                         machine.queues, machine.chips, machine.linkBytesPerSecond,
                         machine.interleavedL1);
}

FailureOr<TargetAttr> mlir::ttc::getTarget(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  if (!target)
    return emitError(module.getLoc(), "expected the module to have a target (")
           << kTargetAttrName << "), found none; --ttc-set-target gives it one";
  return target;
}

CpuTarget mlir::ttc::getCpuTarget(TargetAttr target) {
  return {target.getTriple().str(), target.getCpu().str(), target.getFeatures().str()};
}

CpuTarget mlir::ttc::getCpuTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return getCpuTarget(target);
  return *getCpuTarget("native");
}

int64_t mlir::ttc::getDramBytes(TargetAttr target) {
  return target.getDramBanks() * target.getDramBankBytes();
}

int64_t mlir::ttc::getBytesPerBank(TargetAttr target, int64_t bytes) {
  return llvm::alignTo(llvm::divideCeil(bytes, target.getDramBanks()), target.getDramAlignment());
}

int64_t mlir::ttc::getCores(TargetAttr target) {
  return target.getGridRows() * target.getGridCols();
}
