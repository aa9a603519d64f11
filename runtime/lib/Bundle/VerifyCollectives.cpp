// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of collectives: what their moves (collectives.h) rely on. MeshProver.cpp proves what
// the moves do.

#include "Bundle/MeshTables.h"
#include "Bundle/TableChecks.h"
#include "Bundle/Verifier.h"

namespace ttrt {

const char *nameOf(fb::CollectiveKind kind) {
  static const char *const kNames[] = {"all_reduce", "all_gather", "reduce_scatter",
                                       "all_to_all", "broadcast",  "permute"};
  return kNames[static_cast<size_t>(kind)];
}

const char *nameOf(fb::CollectiveAlgorithm algorithm) {
  static const char *const kNames[] = {"direct", "ring", "halving"};
  return kNames[static_cast<size_t>(algorithm)];
}

std::string describeUse(const Bundle &bundle, uint32_t collective) {
  for (uint32_t i = 0; i < count(bundle.metadata().traces()); ++i) {
    const fb::Trace &trace = *bundle.metadata().traces()->Get(i);
    const uint8_t *stream = bundle.stream(i);
    uint32_t command = 0;
    for (uint64_t position = 0; trace.size() - position >= sizeof(ExchangeCommand); ++command) {
      const auto &header = *reinterpret_cast<const CommandHeader *>(stream + position);
      const auto &exchange = reinterpret_cast<const ExchangeCommand &>(header);
      if (header.size < sizeof(CommandHeader) || header.size % 8 != 0 ||
          header.size > trace.size() - position)
        break;
      const ActionInfo *info = findInfo(header.opcode);
      if (info && info->inCollective != CollectiveRole::None && exchange.collective == collective) {
        const char *source =
            command < count(trace.sources()) ? bundle.location(trace.sources()->Get(command)) : "";
        return formatText(", which command {} of trace '{}'{}{}{} executes", command,
                          text(trace.name()), *source ? " (from " : "", source, *source ? ")" : "");
      }
      position += header.size;
    }
  }
  return "";
}

collectives::Shape shapeOf(const fb::Collective &collective) {
  const auto *sources = collective.sources();
  return {collective.kind(),
          collective.algorithm(),
          count(collective.groups()->Get(0)->devices()),
          collective.operands()->Get(0)->bytes(),
          collective.rows(),
          collective.root(),
          sources ? sources->data() : nullptr};
}

namespace {
class CollectiveVerifier {
public:
  CollectiveVerifier(const Bundle &bundle, uint32_t index)
      : bundle(bundle), index(index), table(*bundle.metadata().collectives()->Get(index)),
        meshDevices(devicesOf(bundle.metadata())) {}

  void verify() {
    verifyEnumerators();
    verifyGroups();
    verifyPeers();
    verifyOperands();
  }

private:
  template <typename... Args>
  [[noreturn, gnu::always_inline]] void failHere(Pattern<Args...> pattern,
                                                 const Args &...arguments) const {
    failWith(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
  }
  [[noreturn, gnu::cold]] void failWith(uint64_t kinds, const char *pattern, ...) const;
  void verifyEnumerators() const;
  void verifyGroups();
  void verifyPeers() const;
  void verifyOperands() const;
  void verifyOperand(uint32_t number, fb::Access access, uint64_t bytes) const;
  bool reduces() const {
    return table.kind() == fb::CollectiveKind::AllReduce ||
           table.kind() == fb::CollectiveKind::ReduceScatter;
  }

  const Bundle &bundle;
  const uint32_t index;
  const fb::Collective &table;
  const uint32_t meshDevices;
  uint32_t devices = 0;      ///< of each group
  uint32_t participants = 0; ///< of all groups
};
} // namespace

void CollectiveVerifier::failWith(uint64_t kinds, const char *pattern, ...) const {
  va_list arguments;
  va_start(arguments, pattern);
  const std::string problem = formatList(kinds, pattern, arguments);
  va_end(arguments);
  failBad("collective '{}'{}: {}", text(table.name()), describeUse(bundle, index), problem);
}

void CollectiveVerifier::verifyEnumerators() const {
  if (meshDevices == 1)
    failHere("the bundle is of one device; expected a mesh");
  if (table.kind() > fb::CollectiveKind::MAX || table.algorithm() > fb::CollectiveAlgorithm::MAX ||
      table.reduction() > fb::Reduction::MAX || table.dtype() > fb::DType::MAX)
    failHere("has kind {}, algorithm {}, reduction {} and element type {}, not all of which this "
             "runtime supports",
             (unsigned)table.kind(), (unsigned)table.algorithm(), (unsigned)table.reduction(),
             (unsigned)table.dtype());
  if (reduces() && table.dtype() == fb::DType::Bool)
    failHere("reduces booleans; expected numbers");
}

/// Every device is in one group at most, and all groups have the same size.
void CollectiveVerifier::verifyGroups() {
  if (table.groups()->size() == 0)
    failHere("has no groups");
  devices = count(table.groups()->Get(0)->devices());
  std::vector<uint32_t> groupOf(meshDevices, ~0u);
  for (uint32_t i = 0; i < table.groups()->size(); ++i) {
    const auto *group = table.groups()->Get(i)->devices();
    if (count(group) == 0 || count(group) != devices)
      failHere("group {} has {} devices; expected {}, as in group 0, and at least one", i,
               count(group), devices);
    for (uint32_t device : *group) {
      if (device >= meshDevices)
        failHere("group {} has device {}; the mesh has {}", i, device, meshDevices);
      if (groupOf[device] != ~0u)
        failHere("device {} is in group {} and again in group {}; expected it once", device,
                 groupOf[device], i);
      groupOf[device] = i;
      ++participants;
    }
  }
  if (!collectives::isDefined(table.kind(), table.algorithm(), devices))
    failHere("algorithm {} is not defined for {} of {} devices", nameOf(table.algorithm()),
             nameOf(table.kind()), devices);
}

/// The root and the sources are in the group.
void CollectiveVerifier::verifyPeers() const {
  const bool broadcasts = table.kind() == fb::CollectiveKind::Broadcast;
  const bool permutes = table.kind() == fb::CollectiveKind::Permute;
  if (table.root() >= (broadcasts ? devices : 1))
    failHere("{} from device {} of a group; expected {}", nameOf(table.kind()), table.root(),
             broadcasts ? formatText("one of {}", devices) : "0, which stands for none");
  if (count(table.sources()) != (permutes ? devices : 0))
    failHere("{} has {} sources; expected {}", nameOf(table.kind()), count(table.sources()),
             permutes ? devices : 0);
  std::vector<uint32_t> reader(devices, ~0u);
  for (uint32_t i = 0; i < count(table.sources()); ++i) {
    const uint32_t source = table.sources()->Get(i);
    if (source == kNoSource)
      continue;
    if (source >= devices)
      failHere("device {} of a group takes from device {}; expected one of {}", i, source, devices);
    if (reader[source] != ~0u)
      failHere("devices {} and {} of a group both take from device {}; expected one that does",
               reader[source], i, source);
    reader[source] = i;
  }
}

void CollectiveVerifier::verifyOperand(uint32_t number, fb::Access access, uint64_t bytes) const {
  static const char *const kPlaces[] = {"the input", "the output", "scratch"};
  static const char *const kAccesses[] = {"read", "written", "read and written"};
  const fb::Operand &operand = *table.operands()->Get(number);
  if (operand.access() > fb::Access::MAX || operand.access() != access)
    failHere("operand {}, {}, is {}; expected that it is {}", number, kPlaces[number],
             operand.access() > fb::Access::MAX ? "accessed otherwise"
                                                : kAccesses[(size_t)operand.access()],
             kAccesses[(size_t)access]);
  if (operand.bytes() != bytes)
    failHere("operand {}, {}, has {} bytes; expected {} for {} of {} bytes on {} devices", number,
             kPlaces[number], operand.bytes(), bytes, nameOf(table.kind()),
             table.operands()->Get(0)->bytes(), devices);
  const uint64_t least = sizeOf(table.dtype());
  if (!collectives::isPowerOfTwo(operand.alignment()) || operand.alignment() < least)
    failHere("operand {}, {}, has alignment {}; expected a power of two, at least {}", number,
             kPlaces[number], operand.alignment(), least);
  if (operand.row_bytes() || operand.pitch_bytes() || operand.per_workgroup() ||
      count(operand.in_place_of()))
    failHere("operand {}, {}, has rows, or may overwrite others; expected neither", number,
             kPlaces[number]);
}

void CollectiveVerifier::verifyOperands() const {
  if (count(table.operands()) < 2)
    failHere("has {} operands; expected an input and an output", count(table.operands()));
  const uint64_t bytes = table.operands()->Get(0)->bytes(), rows = table.rows();
  if (bytes == 0 || bytes > bundle.addresses().dramBytes)
    failHere("operand 0, the input, has {} bytes; expected at least one, and at most the {} of "
             "DRAM",
             bytes, bundle.addresses().dramBytes);
  // Each row, and each part of it that one device gets, has whole elements.
  const bool divides = table.kind() == fb::CollectiveKind::ReduceScatter ||
                       table.kind() == fb::CollectiveKind::AllToAll;
  const uint64_t parts = divides ? devices : 1, element = reduces() ? sizeOf(table.dtype()) : 1;
  if (rows == 0 || rows > bytes || bytes % (rows * parts * element) != 0)
    failHere("{} bytes are divided into {} rows of {} parts of elements of {} bytes; expected "
             "equal parts",
             bytes, rows, parts, element);
  const collectives::Shape shape = shapeOf(table);
  const uint64_t scratch = collectives::scratchBytes(shape);
  const uint32_t operands = scratch ? 3 : 2;
  if (count(table.operands()) != operands)
    failHere("has {} operands; expected {} for {} by algorithm {}", count(table.operands()),
             operands, nameOf(table.kind()), nameOf(table.algorithm()));
  // On a device that gets nothing, the output keeps what it contained, so that is read, too.
  // verifyRoles() determines which devices execute it.
  bool everywhere = participants == meshDevices;
  for (uint32_t i = 0; i < count(table.sources()); ++i)
    everywhere &= table.sources()->Get(i) != kNoSource;
  const bool isRead = !everywhere && table.operands()->Get(1)->access() != fb::Access::Write;
  verifyOperand(0, fb::Access::Read, bytes);
  verifyOperand(1, isRead ? fb::Access::ReadWrite : fb::Access::Write,
                collectives::outputBytes(shape));
  if (scratch)
    verifyOperand(2, fb::Access::Write, scratch);
}

void verifyCollectives(const Bundle &bundle) {
  checkNames("collective", bundle.metadata().collectives());
  for (uint32_t i = 0; i < count(bundle.metadata().collectives()); ++i)
    CollectiveVerifier(bundle, i).verify();
}

} // namespace ttrt
