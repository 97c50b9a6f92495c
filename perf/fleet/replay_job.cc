// What a replay of a job costs, stage by stage: the best of several rounds, in milliseconds.
//
//     replay_job OPS.csv[.gz] [ROUNDS]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "strobe/base/byte_stream.h"
#include "strobe/fleet/replay/operation_table.h"
#include "strobe/fleet/replay/replay.h"

namespace {

double now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  if (arguments.size() < 2) {
    std::fputs("replay_job OPS.csv[.gz] [ROUNDS]\n", stderr);
    return 2;
  }
  const std::string path = arguments[1];
  const int rounds = arguments.size() > 2 ? std::atoi(arguments[2]) : 9;
  std::array<double, 3> best_ms = {1e9, 1e9, 1e9};  // unpack, read (with unpacking), replay
  std::size_t operations = 0;
  for (int round = 0; round < rounds; ++round) {
    const double start_ms = now_ms();
    const auto text = strobe::read_text(path);
    const double unpacked_ms = now_ms();
    const auto table = strobe::fleet::read_operation_table(path);
    const double read_ms = now_ms();
    if (!text || !table) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
    const auto replay = strobe::fleet::replay(*table);
    const double replayed_ms = now_ms();
    if (!replay) {
      std::fprintf(stderr, "%s\n", replay.error().what.c_str());
      return 1;
    }
    operations = replay->operations;
    best_ms[0] = std::min(best_ms[0], unpacked_ms - start_ms);
    best_ms[1] = std::min(best_ms[1], read_ms - unpacked_ms);
    best_ms[2] = std::min(best_ms[2], replayed_ms - read_ms);
  }
  std::printf("%zu operations: unpack %.1f ms, read %.1f ms (with unpacking), replay %.1f ms\n",
              operations, best_ms[0], best_ms[1], best_ms[2]);
  return 0;
}
