#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/faults/machine.h"
#include "tests/support/faults/workload.h"

namespace strobe {

// Runs a workload on one rank's machine, cycle by cycle. Ranks are played side by side because they
// meet in collectives:
//
//   begin_cycle, then per layer: play_layer, reach_collective, finish_collective, then end_cycle
class RankPlayer {
 public:
  RankPlayer(const Workload& workload, const Conditions& conditions, const RunNoise& noise,
             int cycles, Dice dice);

  int layers() const;
  void begin_cycle(int number);
  void play_layer();
  std::int64_t reach_collective() { return machine_.reach_collective(); }
  void finish_collective(std::int64_t all_there_ns);
  void end_cycle();

  Machine& machine() { return machine_; }

 private:
  struct Kernel {
    KernelSpec spec;
    std::string args;
  };

  Kernel as_played(KernelSpec spec);  // under these conditions, in this run
  void play(const Kernel& kernel);
  void load_input();
  void upload();
  void download();
  void disturb_layer();
  int due_now(int per_cycle, double& owed) const;

  const Workload& workload_;
  Conditions conditions_;
  Dice dice_;
  Machine machine_;
  std::vector<Kernel> layer_;
  std::vector<Kernel> head_;
  std::vector<bool> is_cut_;  // per cycle: its first half of device work is lost
  double cycle_us_;
  double owed_synchronizations_ = 0;
  double owed_allocations_ = 0;
  int layer_number_ = 0;
  int stalled_layer_ = -1;
  SliceId step_;
};

}  // namespace strobe
