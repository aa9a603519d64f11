// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module ttrt._ttrt: what the package ttrt, written in Python, is made of.

#include "AddressCall.h"
#include "BoundCall.h"
#include "Inspect.h"
#include "Models.h"
#include "Queues.h"
#include "Stream.h"
#include "Text.h"
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace ttrt::python;

/// Tells the garbage collector what an object refers to. A cycle of them goes through a device's
/// host functions, so it is there that it is broken.
template <typename Class> static int traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<Class>(self)->traverse(visit, arg) : 0;
}
static int clearDevice(PyObject *self) {
  nb::inst_ptr<Device>(self)->clear();
  return 0;
}
template <typename Class>
static PyType_Slot slotsOf[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse<Class>)},
                                {0, nullptr}};
static PyType_Slot deviceSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverse<Device>)},
                                    {Py_tp_clear, reinterpret_cast<void *>(clearDevice)},
                                    {0, nullptr}};

NB_MODULE(_ttrt, module) {
  watchForks();
  nb::set_leak_warnings(false); // what lives until the interpreter ends is not lost

  nb::class_<InSlot>(module, "InSlot").def("__repr__", [](const InSlot &) {
    return "ttrt.IN_SLOT";
  });
  module.attr("IN_SLOT") = nb::cast(InSlot());

  nb::class_<BoundCall>(
      module, "Call", nb::type_slots(slotsOf<BoundCall>),
      "Arrays bound to the inputs and outputs of an entry point (`Entry.bind()`).")
      .def("__call__", &BoundCall::operator(), "Runs the entry point once, and returns `outputs`.")
      .def("__reduce_ex__",
           [](const BoundCall &, nb::handle) {
             raiseTypeError("cannot pickle or copy a Call: its device belongs to this process; "
                            "send the bundle's path, and load it there");
           })
      .def("_time", &BoundCall::time)
      .def("_repeat", &BoundCall::repeat)
      .def_prop_ro("outputs", &BoundCall::results, "The arrays that each call writes, by name.");

  nb::class_<AddressCall>(module, "AddressCall", nb::type_slots(slotsOf<AddressCall>))
      .def("__call__", &AddressCall::operator())
      .def("on_arrays", &AddressCall::runOnArrays);

  nb::class_<Device>(module, "Device", nb::type_slots(deviceSlots), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Device *device, nb::bytes path, int verify, uint32_t cores, bool pin, bool hugePages,
             bool flushDenormals, nb::dict hostFunctions, nb::object profiler) {
            new (device) Device(
                path.c_str(),
                {static_cast<ttrt_verify>(verify), cores, pin, hugePages, flushDenormals, profiler},
                hostFunctions);
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none())
      .def("cancel", &Device::cancel)
      .def("set_deadline", &Device::setDeadline)
      .def("close", &Device::close)
      .def_prop_ro("closed", &Device::isClosed)
      .def_prop_ro("forked", &Device::isForked)
      .def("verify", verify)
      .def_prop_ro("cores", &Device::cores)
      .def_prop_ro("queues", &Device::queues)
      .def("synchronize", &Device::synchronize)
      .def("traces", traces)
      .def("trace_is_loaded", isLoaded)
      .def("load_trace", loadTrace)
      .def("release_trace", releaseTrace)
      .def("execute_trace", executeTrace)
      .def("write", enqueueWrite)
      .def("read", enqueueRead, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg())
      .def("execute", enqueueExecute)
      .def("states", [](Device &device) { return describePorts(states(device)); })
      .def("read_state", readState)
      .def("write_state", writeState)
      .def("reset_states", resetStates)
      .def("save_states", saveStates)
      .def("restore_states", restoreStates)
      .def("memory", memory)
      .def("memory_map", memoryMap)
      .def("metadata", metadata)
      .def("schedules", schedules)
      .def("entries",
           [](Device &device) {
             nb::list list;
             for (const EntryPoint &entry : device.entries())
               list.append(nb::make_tuple(nameToStr(entry.name), describePorts(entry.inputs),
                                          describePorts(entry.outputs)));
             return list;
           })
      .def("models", describeModels)
      .def("input_shapes", inputShapes)
      .def(
          "run",
          [](nb::handle self, uint32_t entry, nb::tuple args, nb::dict named, nb::object out) {
            Device &device = *nb::inst_ptr<Device>(self);
            return run(device, entry, bindArrays(self, device, entry, args, named, out));
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def(
          "bind",
          [](nb::handle self, uint32_t entry, nb::tuple args, nb::dict named, nb::object out) {
            Device &device = *nb::inst_ptr<Device>(self);
            return BoundCall(nb::borrow(self), entry,
                             bindArrays(self, device, entry, args, named, out));
          },
          nb::arg(), nb::arg(), nb::arg(), nb::arg().none())
      .def("at_addresses",
           [](nb::handle self, uint32_t entry, const std::vector<size_t> &sizes) {
             return AddressCall(nb::borrow(self), entry, sizes);
           })
      .def("input_slot",
           [](nb::handle self, uint32_t entry, uint32_t input) {
             return nb::inst_ptr<Device>(self)->inputSlot(self, entry, input);
           })
      .def("output_slot", [](nb::handle self, uint32_t entry, uint32_t output) {
        return nb::inst_ptr<Device>(self)->outputSlot(self, entry, output);
      });

  nb::class_<Stream>(module, "Stream", nb::type_slots(slotsOf<Stream>))
      .def("__init__",
           [](Stream *stream, nb::object device, uint32_t entry, nb::str schedule, uint32_t ahead,
              const std::vector<int64_t> &extents) {
             if (!nb::isinstance<Device>(device))
               raiseTypeError("expected a Device");
             new (stream) Stream(device, entry, bytesOf(schedule), ahead, extents);
           })
      .def("feed", &Stream::feed, nb::arg(), nb::arg(), nb::arg().none())
      .def("drain", &Stream::drain)
      .def("close", &Stream::close)
      .def_prop_ro("in_flight", &Stream::inFlight)
      .def_prop_ro("closed", &Stream::isClosed)
      .def_prop_ro("schedule", &Stream::schedule);

  nb::class_<Event>(module, "Event", nb::type_slots(slotsOf<Event>))
      .def("__init__",
           [](Event *event, nb::object device) {
             if (!nb::isinstance<Device>(device))
               raiseTypeError("expected a Device");
             new (event) Event(device);
           })
      .def("record", &Event::record)
      .def("wait", &Event::wait)
      .def("synchronize", &Event::synchronize)
      .def_prop_ro("done", &Event::isDone);

  nb::class_<Profiler>(module, "Profiler", nb::is_weak_referenceable())
      .def(
          "__init__",
          [](Profiler *profiler, nb::object folder, uint32_t programs, uint32_t interval,
             const std::string &counters) {
            new (profiler) Profiler(folder, programs, interval, counters);
          },
          nb::arg().none(), nb::arg(), nb::arg(), nb::arg())
      .def("close", &Profiler::close)
      .def_prop_ro("closed", &Profiler::isClosed)
      .def_prop_ro("recording", &Profiler::recording)
      .def_prop_ro("folder", &Profiler::folder)
      .def_prop_ro("dropped", &Profiler::dropped)
      .def("read", &Profiler::read)
      .def("zone",
           [](const Profiler &profiler, const std::string &name, const std::string &file,
              uint32_t line, uint32_t color) {
             ttrt_zone_source source = TTRT_ZONE_SOURCE_INIT;
             source.name = name.c_str();
             source.file = file.c_str();
             source.line = line;
             source.color = color;
             return ttrt_profiler_zone(profiler.get(), &source);
           })
      .def("begin",
           [](const Profiler &profiler, uint32_t zone) { ttrt_zone_begin(profiler.get(), zone); })
      .def("end", [](const Profiler &profiler) { ttrt_zone_end(profiler.get()); })
      .def("text", [](const Profiler &profiler,
                      const std::string &text) { ttrt_zone_text(profiler.get(), text.c_str()); })
      .def("frame",
           [](const Profiler &profiler, uint32_t zone) { ttrt_frame(profiler.get(), zone); })
      .def("signpost",
           [](const Profiler &profiler, const std::string &header, const std::string &message) {
             ttrt_signpost(profiler.get(), header.c_str(), message.c_str());
           })
      .def("message", [](const Profiler &profiler, const std::string &text, uint32_t color) {
        ttrt_message(profiler.get(), text.c_str(), color);
      });

  nb::class_<Text>(module, "Text")
      .def("__init__",
           [](Text *text, nb::handle device) {
             if (!nb::isinstance<Device>(device))
               raiseTypeError("expected a Device");
             new (text) Text(*nb::inst_ptr<Device>(device));
           })
      .def("info", &Text::info)
      .def("encode", &Text::encode)
      .def("decode", &Text::decode)
      .def("chat", &Text::chat, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
      .def("chat_text", &Text::chatText, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());

  nb::class_<TextStream>(module, "TextStream")
      .def("__init__", [](TextStream *stream, const Text &text,
                          bool control) { new (stream) TextStream(text, control); })
      .def("push", &TextStream::push)
      .def("finish", &TextStream::finish);

  module.def("end_calls", [] {
    endCalls();
    Stream::closeAll();
  });
  module.def("version", ttrt_version);
  module.def("status_name",
             [](int status) { return ttrt_status_name(static_cast<ttrt_status>(status)); });
}
