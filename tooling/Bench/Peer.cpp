// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bench/Peer.h"

#include "BenchFiles.h"
#include "Formats/Json.h"
#include "Formats/JsonReader.h"
#include "PeerFiles.h"
#include "Support/Error.h"
#include "Support/FileNames.h"
#include "Support/WriteFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace ttrun {

namespace {
/// For arrays on their way between the processes.
class TemporaryFolder {
public:
  TemporaryFolder() {
    path = ttc::temporaryFolder() + "/ttrun-XXXXXX";
    if (!mkdtemp(path.data()))
      throw UserError(fmt::format("cannot make the folder {}: {}", path, strerror(errno)));
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path;
};
} // namespace

Peer::Peer(const std::string &python, const std::string &engine, const std::string &model,
           uint64_t threads, const std::vector<std::pair<std::string, const Tensor *>> &inputs)
    : engine_(engine) {
  try {
    const TemporaryFolder folder;
    Json names;
    names.beginObject(/*flat=*/true);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string file = fmt::format("{}/input{}.npy", folder.path, i);
      writeNpy(file, *inputs[i].second);
      names.field(inputs[i].first, file);
    }
    names.endObject();
    const std::string list = folder.path + "/inputs.json";
    ttc::writeFile(list, {names.take()});
    start(python, {"-c", kPeerPeer, engine, model, std::to_string(threads), list});
    version_ = readAnswer()["version"].string;
  } catch (...) {
    stop();
    throw;
  }
}

JsonValue Peer::compareValues(const std::string &python, const std::string &engine,
                              const std::string &model, const std::string &folder, double rtol,
                              double atol) {
  Peer peer(engine);
  peer.start(python, {"-c", kBenchValues, engine, model, folder, fmt::format("{}", rtol),
                      fmt::format("{}", atol)});
  return peer.readAnswer();
}

Peer::~Peer() { stop(); }

void Peer::start(const std::string &python, const std::vector<std::string> &arguments) {
  std::vector<char *> argv = {const_cast<char *>(python.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int channel[2]; // one end here, the other one is its standard input and output
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
    throw UserError(fmt::format("cannot start {}: {}", python, strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  const int error =
      posix_spawnp(&process_, python.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  answers_ = fdopen(channel[0], "r");
  questions_ = fdopen(fcntl(channel[0], F_DUPFD_CLOEXEC, 0), "w");
  if (error) {
    process_ = -1;
    throw UserError(
        fmt::format("cannot start '{}', which should have {}: {}; --python names another one",
                    python, engine_, strerror(error)));
  }
}

JsonValue Peer::readAnswer() {
  char *line = nullptr;
  size_t size = 0;
  const ssize_t length = getline(&line, &size, answers_);
  const std::string answer(line ? line : "", length < 0 ? 0 : static_cast<size_t>(length));
  free(line);
  if (answer.empty()) // it has said why
    throw UserError(engine_ + " ended without an answer");
  return JsonValue::parse(answer);
}

JsonValue Peer::ask(const std::string &question) {
  // It may have ended; then there is no answer, which is the error.
  fmt::print(questions_, "{}\n", question);
  fflush(questions_);
  return readAnswer();
}

std::vector<double> Peer::run(uint64_t loops) {
  std::vector<double> times;
  const JsonValue answer = ask(fmt::format("{{\"loops\": {}}}", loops));
  for (const JsonValue &time : answer["ms"].items)
    times.push_back(time.number);
  if (times.size() != loops)
    throw UserError(fmt::format("expected {} times of {}, found {}", loops, engine_, times.size()));
  return times;
}

std::map<std::string, Tensor> Peer::outputs() {
  const TemporaryFolder folder;
  std::map<std::string, Tensor> outputs;
  const JsonValue answer = ask(fmt::format("{{\"save\": {}}}", quoteJson(folder.path)));
  for (const auto &[name, file] : answer["files"].fields)
    outputs.emplace(name, readNpy(file.string));
  return outputs;
}

void Peer::stop() {
  for (FILE *file : {questions_, answers_})
    if (file)
      fclose(file);
  questions_ = answers_ = nullptr;
  while (process_ > 0 && waitpid(process_, nullptr, 0) < 0 && errno == EINTR)
    ;
}

} // namespace ttrun
