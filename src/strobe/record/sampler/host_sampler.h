#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "strobe/record/sampler/foreign_processes.h"
#include "strobe/record/sampler/machine_sampler.h"
#include "strobe/record/sampler/other_recorders.h"
#include "strobe/record/sampler/pace.h"
#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/process_sampler.h"
#include "strobe/record/sampler/process_tree.h"
#include "strobe/record/sampler/series_writer.h"

namespace strobe::record {

struct HostSamplerOptions {
  HostAccess host = {};
  pid_t root = 0;    // the recorded program's first process
  pid_t strobe = 0;  // this process: neither recorded nor foreign
  // Whether strobe has declared itself a subreaper, see ProcessTree.
  bool strobe_adopts = false;
  // The recorders of other ranks of the same job on this machine: what they record is not foreign.
  std::function<std::vector<pid_t>()> other_recorders = {};
  // What all samples together may cost: the share of a core. Where they cost more, they are taken
  // less often.
  double most_share = 0.008;
  std::function<std::int64_t()> cost_clock_ns = thread_cpu_ns;  // of the thread that samples
};

// What the recorded program's processes and threads, and the rest of the machine, did. It looks
// from outside, through /proc and the control groups: nothing runs inside of the program.
class HostSampler {
 public:
  HostSampler(SampleLog& log, HostSamplerOptions options);

  // To be called 20 times a second. Times of threads are taken each time; what changes slowly or
  // costs more is taken less often. `with_machine`: values of the machine as a whole, too; several
  // recorders of one run leave them to one.
  void sample(std::int64_t now_ns, bool with_machine);
  // Once more everything, whatever its rate. A program that has ended still shows its sums if
  // nobody has waited for it yet (waitid with WNOWAIT).
  void finish(std::int64_t now_ns, bool with_machine);
  // To be called after SampleLog::restart().
  void restart() { out_.restart(); }

  const ProcessTree& tree() const { return tree_; }
  std::vector<ThreadOfTree> threads() const { return processes_.threads(); }

 private:
  template <class Work>
  void when_due(Pace& pace, std::int64_t now_ns, const Work& work);
  void sample_machine(std::int64_t now_ns);
  void scan_foreign(std::int64_t now_ns);
  void note_lower_rate();

  const HostSamplerOptions options_;
  SeriesWriter out_;
  ProcessTree tree_;
  ProcessSampler processes_;
  MachineSampler machine_;
  ForeignProcesses foreign_;
  OtherRecorders other_recorders_;
  Pace tree_pace_;
  Pace times_pace_;
  Pace memory_pace_;
  Pace threads_pace_;
  Pace counters_pace_;
  Pace machine_pace_;
  Pace foreign_pace_;
  std::int64_t scanned_ns_ = 0;  // when foreign processes were looked at last
  bool had_machine_ = false;
  bool has_noted_rate_ = false;
};

}  // namespace strobe::record
