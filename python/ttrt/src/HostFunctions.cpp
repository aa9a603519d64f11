// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostFunctions.h"

#include "Arrays.h"

#include <cstring>

namespace ttrt::python {

namespace {
/// The calls that this thread is in: a function may run another bundle, with functions of its own.
struct Frame {
  const HostFunctions *all;
  Frame *outer;
};
} // namespace
static thread_local Frame *innermost = nullptr;

static thread_local HostFunctions::Catch *innermostCatch = nullptr;

HostFunctions::Catch::Catch(HostFunctions &all) : all_(&all), outer_(innermostCatch) {
  innermostCatch = this;
}

HostFunctions::Catch::~Catch() { innermostCatch = outer_; }

void HostFunctions::keep(nb::object exception) {
  const bool isOwn = innermostCatch && innermostCatch->all_ == this;
  (isOwn ? innermostCatch->exception_ : exception_) = std::move(exception);
}

bool HostFunctions::isCalling() const {
  for (const Frame *frame = innermost; frame; frame = frame->outer)
    if (frame->all == this)
      return true;
  return false;
}

HostFunctions::HostFunctions(nb::dict functions) {
  for (auto [name, callable] : functions) {
    if (!nb::isinstance<nb::str>(name))
      raiseTypeError("host_functions: expected names of ops as keys, found " +
                     textOf(nb::repr(name)));
    if (!PyCallable_Check(callable.ptr()))
      raiseTypeError("host_functions: '" + textOf(name) + "' cannot be called");
    auto function = std::make_unique<Function>(Function{
        this, bytesOf(nb::borrow<nb::str>(name)), nb::borrow(callable), TTRT_HOST_FUNCTION_INIT});
    function->function.name = function->name.c_str();
    function->function.call = call;
    function->function.user = function.get();
    list_.push_back(&function->function);
    functions_.push_back(std::move(function));
  }
  list_.push_back(nullptr);
}

int HostFunctions::traverse(visitproc visit, void *arg) {
  for (const auto &function : functions_)
    Py_VISIT(function->callable.ptr());
  Py_VISIT(exception_.ptr());
  return 0;
}

void HostFunctions::clear() {
  for (const auto &function : functions_)
    function->callable.reset();
  exception_.reset();
}

static TensorType typeOf(const ttrt_tensor &tensor) {
  TensorType type;
  type.dtype = tensor.dtype;
  type.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  type.bytes = tensor.bytes;
  return type;
}

/// A copy: what a call points to is gone when it returns, and a function may keep its operands.
static nb::object copyOf(const ttrt_tensor &tensor) {
  const TensorType type = typeOf(tensor);
  nb::object array = newArray(type);
  std::memcpy(importArray(array, type, /*writable=*/true, "operand").data, tensor.data, type.bytes);
  return array;
}

template <typename Values> static nb::object listOf(const Values *values, uint32_t count) {
  nb::list list;
  for (uint32_t i = 0; i < count; ++i)
    list.append(values[i]);
  return std::move(list);
}

static nb::object valueOf(const ttrt_attribute &attribute) {
  switch (attribute.kind) {
  case TTRT_ATTRIBUTE_INT:
    return nb::int_(attribute.ints[0]);
  case TTRT_ATTRIBUTE_FLOAT:
    return nb::float_(attribute.floats[0]);
  case TTRT_ATTRIBUTE_STRING:
    return nameToStr(attribute.strings[0]);
  case TTRT_ATTRIBUTE_INTS:
    return listOf(attribute.ints, attribute.count);
  case TTRT_ATTRIBUTE_FLOATS:
    return listOf(attribute.floats, attribute.count);
  case TTRT_ATTRIBUTE_STRINGS: {
    nb::list strings;
    for (uint32_t i = 0; i < attribute.count; ++i)
      strings.append(nameToStr(attribute.strings[i]));
    return std::move(strings);
  }
  case TTRT_ATTRIBUTE_TENSOR:
    return copyOf(attribute.tensor);
  }
  raise(TTRT_UNSUPPORTED,
        std::string("attribute '") + attribute.name + "' has a kind that is not known");
}

static void store(const ttrt_host_call &call, nb::object returned) {
  const std::string name = std::string("host function '") + call.name + "'";
  nb::tuple results;
  if (nb::isinstance<nb::tuple>(returned) || nb::isinstance<nb::list>(returned))
    results = nb::tuple(returned);
  else
    results = nb::make_tuple(returned);
  if (results.size() != call.result_count)
    raiseTypeError(name + ": expected " + std::to_string(call.result_count) +
                   (call.result_count == 1 ? " result" : " results") + ", found " +
                   std::to_string(results.size()));
  for (uint32_t i = 0; i < call.result_count; ++i) {
    const ttrt_tensor &result = call.results[i];
    if (!result.bytes)
      continue; // not wanted
    const Array array = importArray(results[i], typeOf(result), /*writable=*/false,
                                    name + ", result " + std::to_string(i));
    std::memcpy(result.data, array.data, result.bytes);
  }
}

/// Holds a reference of its own: closing the bundle drops the others.
static void callPython(nb::object callable, const ttrt_host_call &call) {
  if (!callable.is_valid())
    raise(TTRT_INVALID_ARGUMENT, "the bundle is closed");
  nb::list operands;
  for (uint32_t i = 0; i < call.operand_count; ++i)
    operands.append(call.operands[i].bytes ? copyOf(call.operands[i]) : nb::none());
  nb::dict attributes;
  for (uint64_t i = 0; i < call.attribute_count; ++i)
    attributes[call.attributes[i].name] = valueOf(call.attributes[i]);
  store(call, callable(*operands, **attributes));
}

ttrt_status HostFunctions::call(void *user, const ttrt_host_call *call,
                                ttrt_error *error) noexcept {
  auto *function = static_cast<Function *>(user);
  const nb::gil_scoped_acquire acquired;
  Frame frame{function->all, innermost};
  innermost = &frame;
  const struct Leave {
    ~Leave() { innermost = innermost->outer; }
  } leave;
  try {
    callPython(nb::borrow(function->callable), *call);
    return TTRT_OK;
  } catch (nb::python_error &raised) {
    const std::string text = textOf(raised.type().attr("__name__")) + ": " + textOf(raised.value());
    snprintf(error->message, sizeof(error->message), "%s", text.c_str());
    nb::object exception = nb::borrow(raised.value());
    if (raised.traceback().is_valid())
      PyException_SetTraceback(exception.ptr(), raised.traceback().ptr());
    function->all->keep(std::move(exception));
  } catch (std::exception &raised) {
    snprintf(error->message, sizeof(error->message), "%s", raised.what());
  }
  return TTRT_FAILED;
}

} // namespace ttrt::python
