// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of ttrt/mpi.h.

#include "ttrt/mpi.h"

#include "Transport.h"

#include <cstdio>
#include <cstring>
#include <new>

using namespace ttrt::mpi;

static ttrt_status report(ttrt_error *error, ttrt_status status, const char *message) {
  if (error) {
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s", message);
  }
  return status;
}

static const char *nameOf(int level) {
  return level == MPI_THREAD_SINGLE     ? "MPI_THREAD_SINGLE"
         : level == MPI_THREAD_FUNNELED ? "MPI_THREAD_FUNNELED"
                                        : "an unknown level";
}

ttrt_status ttrt_mpi_open(const ttrt_mpi_options *given, ttrt_transport **transport,
                          ttrt_error *error) {
  if (!transport)
    return report(error, TTRT_INVALID_ARGUMENT, "expected transport, found NULL");
  *transport = nullptr;
  ttrt_mpi_options options = TTRT_MPI_OPTIONS_INIT;
  if (given) {
    if (given->size < sizeof given->size || given->size > sizeof options)
      return report(error, TTRT_INVALID_ARGUMENT,
                    "expected options of TTRT_MPI_OPTIONS_INIT, found another size");
    memcpy(&options, given, given->size);
  }
  try {
    int begun = 0, ended = 0, level = MPI_THREAD_SINGLE;
    check("MPI_Initialized", MPI_Initialized(&begun));
    check("MPI_Finalized", MPI_Finalized(&ended));
    if (ended)
      return report(error, TTRT_UNSUPPORTED, "this process has ended MPI already");
    if (begun)
      check("MPI_Query_thread", MPI_Query_thread(&level));
    else
      check("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
    if (level < MPI_THREAD_SERIALIZED) {
      char text[160];
      snprintf(text, sizeof text, "expected MPI with MPI_THREAD_SERIALIZED or more, found %s",
               nameOf(level));
      if (!begun)
        MPI_Finalize();
      return report(error, TTRT_UNSUPPORTED, text);
    }
    const MPI_Comm communicator = options.communicator
                                      ? *static_cast<const MPI_Comm *>(options.communicator)
                                      : MPI_COMM_WORLD;
    *transport = &(new Transport(communicator, /*endsMpi=*/!begun))->interface;
  } catch (const MpiError &problem) {
    return report(error, TTRT_IO_ERROR, problem.what());
  } catch (const std::bad_alloc &) {
    return report(error, TTRT_OUT_OF_MEMORY, "out of memory for the transport");
  }
  return report(error, TTRT_OK, "");
}

void ttrt_mpi_close(ttrt_transport *transport) {
  if (transport)
    delete static_cast<Transport *>(transport->state);
}
