// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that does one piece of work after another.

#ifndef TTC_TOOLING_RUN_MESH_WORKER_H
#define TTC_TOOLING_RUN_MESH_WORKER_H

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ttrun {

class Worker {
public:
  Worker() : thread([this] { serve(); }) {}
  ~Worker() {
    start({});
    thread.join();
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// The work before must be done, and it throws nothing.
  void start(std::function<void()> given) {
    const std::lock_guard<std::mutex> lock(mutex);
    work = std::move(given);
    busy = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return !busy; });
  }

private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return busy; });
      if (!work)
        return;
      lock.unlock();
      work();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> work;
  bool busy = false;
  std::thread thread;
};

} // namespace ttrun

#endif // TTC_TOOLING_RUN_MESH_WORKER_H
