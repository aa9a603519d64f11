// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "Formats/Json.h"
#include "Formats/Printing.h"
#include "Monitor/MonitorScan.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace ttrun {

static std::string devicesJson(const std::vector<WatchedDevice> &devices) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  Json json;
  json.beginObject(/*flat=*/true)
      .field("time_ms", static_cast<uint64_t>(time.tv_sec) * 1000 +
                            static_cast<uint64_t>(time.tv_nsec) / 1000000);
  json.key("devices").beginArray();
  for (const WatchedDevice &device : devices) {
    json.beginObject()
        .field("pid", device.pid)
        .field("number", device.number)
        .field("process", device.process)
        .field("bundle", device.bundle)
        .field("cores", device.cores)
        .field("queues", device.queues)
        .field("busy", device.busy)
        .field("iterations", device.iterations);
    // NaN is null.
    json.field("iterations_per_second", device.perSecond < 0 ? 0.0 / 0.0 : device.perSecond);
    for (const WatchedMemory &memory : device.memories)
      json.key(memory.key)
          .beginObject()
          .field("used", memory.used)
          .field("total", memory.total)
          .endObject();
    json.endObject();
  }
  json.endArray().endObject();
  return json.take();
}

namespace {

/// How to display: `live` refreshes a terminal in place.
struct Look {
  bool live = false, colours = false;
};

/// The lines of one refresh. Colour codes do not count as columns.
std::vector<std::string> linesOf(const std::vector<WatchedDevice> &devices, const Look &look) {
  constexpr size_t kBar = 36;
  auto coloured = [&](const std::string &text, const char *code) {
    return look.colours && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m"
                                         : text;
  };
  std::vector<std::string> lines;
  for (const WatchedDevice &device : devices) {
    std::string rate = device.perSecond < 0 ? "" : fmt::format(", {:.1f}/s", device.perSecond);
    lines.push_back(
        coloured(shorten(fmt::format("{} {}", device.pid, printable(device.process)), 28), "1") +
        (device.number ? fmt::format(" device {}", device.number) : "") + "  " +
        shorten(printable(device.bundle), 30) +
        fmt::format("  {} core{}, {} iterations{}, ", device.cores, plural(device.cores),
                    device.iterations, rate) +
        (device.busy ? coloured("busy", "1") : "idle"));
    for (const WatchedMemory &memory : device.memories) {
      const bool exact = memory.isTrace && memory.used && memory.used == memory.total;
      const double percent = memory.percent();
      // A trace region is meant to be full: the compiler sizes it for the streams of the bundle.
      const char *code = memory.isTrace ? "32" : percent >= 90 ? "31" : percent >= 75 ? "33" : "32";
      // Show that something is in use, however little.
      size_t full = static_cast<size_t>(percent / 100 * kBar + 0.5);
      if (memory.used && !full)
        full = 1;
      lines.push_back(fmt::format("  {:<6}[", memory.title) +
                      coloured(std::string(full, '#'), code) + std::string(kBar - full, '.') +
                      "] " + coloured(fmt::format("{:5.1f} %", percent), code) +
                      fmt::format("  {} of {}{}", shortBytes(memory.used), shortBytes(memory.total),
                                  exact ? ", sized exactly" : ""));
    }
  }
  return lines;
}

/// The terminal's alternate screen. The destructor restores the terminal.
class Screen {
public:
  explicit Screen(bool live) : live(live) { enter(); }
  ~Screen() { leave(); }
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  void enter() {
    // On Ctrl-C a terminal discards pending output, including what leave() writes, unless NOFLSH is
    // set; and typed characters must not be echoed into the picture. A background job must not
    // change the settings.
    changed =
        live && tcgetpgrp(STDOUT_FILENO) == getpgrp() && tcgetattr(STDOUT_FILENO, &before) == 0;
    if (changed) {
      termios settings = before;
      settings.c_lflag |= NOFLSH;
      settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
      tcsetattr(STDOUT_FILENO, TCSANOW, &settings);
    }
    write("\x1b[?1049h\x1b[?25l\x1b[H\x1b[J");
  }
  void leave() {
    write("\x1b[?25h\x1b[?1049l");
    if (changed)
      tcsetattr(STDOUT_FILENO, TCSANOW, &before);
  }

  void show(const std::string &title, const std::vector<std::string> &lines) {
    if (!live) {
      fmt::print("{}\n", title);
      for (const std::string &line : lines)
        fmt::print("{}\n", line);
      fflush(stdout);
      return;
    }
    winsize size{};
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    const size_t rows = size.ws_row > 2 ? size.ws_row - 1u : 23u;
    // Without autowrap, a narrow terminal clips lines instead of wrapping them.
    std::string text = "\x1b[H\x1b[?7l" + title + "\x1b[K\n";
    for (size_t i = 0; i < lines.size() && i + 1 < rows; ++i)
      text += lines[i] + "\x1b[K\n";
    if (lines.size() + 1 > rows)
      text += fmt::format("... {} more lines\x1b[K", lines.size() + 1 - rows);
    write(text + "\x1b[J\x1b[?7h");
  }

private:
  void write(const std::string &text) {
    if (!live)
      return;
    fmt::print("{}", text);
    fflush(stdout);
  }
  const bool live;
  bool changed = false; ///< the terminal's settings
  termios before{};
};

/// Blocks signals and waits for them, so that they never interrupt a refresh.
class Signals {
public:
  Signals() {
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH})
      sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before);
  }
  ~Signals() { sigprocmask(SIG_SETMASK, &before, nullptr); }

  /// Waits; returns the signal that arrived in this time, or 0.
  int await(double seconds) {
    timespec time;
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    const int signal = sigtimedwait(&set, nullptr, &time);
    return signal > 0 ? signal : 0;
  }

private:
  sigset_t set, before;
};

} // namespace

int monitorCommand(int argc, char **argv) {
  OptionParser parser(
      "ttrun monitor", "[options]",
      "Shows the running devices of each process: bytes of DRAM, L1 (of one core) and TRACE in "
      "use,\n"
      "refreshed each second until Ctrl-C. Bars of DRAM and L1 are yellow from 75 % and red from\n"
      "90 %. The bar of TRACE is always green: the compiler sizes the trace region to fit its\n"
      "traces exactly, so it is full while they are loaded. Processes appear if the same user\n"
      "started them with TTRT_MONITOR=1 in the environment.",
      "  TTRT_MONITOR=1 ttrun run digits.ttcb --random --loops=1000000 &\n"
      "  ttrun monitor\n"
      "  ttrun monitor --json --once | jq '.devices[].iterations'\n");
  bool json = false, once = false;
  double interval = 1;
  parser.flag("json",
              "print one JSON object per refresh, each on its own line\n(docs/ttrun-json.md)",
              json);
  parser.flag("once", "show once and exit", once);
  parser.real("interval", "SECONDS", "time between refreshes (default 1)", interval);
  parser.parseNothing(argc, argv);
  if (interval < 0.01 || interval > 86400)
    throw UserError(
        fmt::format("--interval={:g}: expected a number from 0.01 to 86400 seconds", interval));

  const char *term = getenv("TERM"), *noColour = getenv("NO_COLOR");
  const bool terminal = isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
  const Look look{terminal && !json && !once, terminal && !json && !(noColour && *noColour)};
  Signals signals;
  Screen screen(look.live);
  MonitorScan scan;
  for (;;) {
    const std::vector<WatchedDevice> devices = scan.scan();
    if (!scan.problem().empty())
      throw UserError(scan.problem());
    if (json) {
      fmt::print("{}", devicesJson(devices));
      fflush(stdout);
    } else {
      std::string title =
          fmt::format("ttrun monitor: {} device{}", devices.size(), plural(devices.size()));
      if (devices.empty())
        title += " (start a process with TTRT_MONITOR=1 to see it here)";
      screen.show(title, linesOf(devices, look));
    }
    if (ferror(stdout))
      return 0; // the reader of a pipe has exited
    if (once)
      return 0;
    switch (signals.await(interval)) {
    case 0:
    case SIGWINCH:
      break;
    case SIGTSTP:
      screen.leave();
      kill(getpid(), SIGSTOP);
      screen.enter();
      break;
    default:
      return 0;
    }
  }
}

} // namespace ttrun
