#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/series_writer.h"

namespace strobe::record {

// Which processes outside of the recorded program use the cores. Their names come from the kernel,
// never from their arguments.
class ForeignProcesses {
 public:
  ForeignProcesses(const HostAccess& host, SeriesWriter& out);
  ForeignProcesses(const ForeignProcesses&) = delete;
  ForeignProcesses& operator=(const ForeignProcesses&) = delete;

  // Goes through all processes. Left out are those that belong to the recorded program or to its
  // recorder; `own_cpu_ns` is the time on cores of both so far. A process counts from the second
  // scan on that sees it: by then it is known whether the program has started it.
  //
  // Processes that came and went, and those that a container does not see, are known only by the
  // time that the cores were busy for none of the others. That time is kept in ticks and not exact:
  // it is added to the sum only where it is well above what the others have used.
  void scan(std::int64_t now_ns, const std::function<bool(pid_t)>& is_own, std::int64_t own_cpu_ns);
  // Nothing is compared with what was read before.
  void forget();

 private:
  struct Seen {
    std::int64_t cpu_ns = 0;
    unsigned scan = 0;  // the last one that saw it
  };
  struct Used {
    pid_t process = 0;
    std::int64_t cpu_ns = 0;  // since the last scan
  };
  // Was among the largest once.
  struct Listed {
    std::uint64_t start_ticks = 0;
    pid_t parent = 0;
    std::string name;
    unsigned name_part = 0;
    unsigned written = 0;  // the last scan that wrote it
    Series usage;
  };

  void look_at_all(const std::function<bool(pid_t)>& is_own);
  std::optional<TaskStat> stat_of(pid_t process);
  std::optional<std::int64_t> cpu_ns_of(pid_t process);
  std::optional<std::int64_t> busy_ns();
  std::int64_t sum_ns(std::int64_t elapsed_ns, std::optional<std::int64_t> busy_ns,
                      std::int64_t own_cpu_ns) const;
  void write_largest(std::int64_t now_ns, std::int64_t elapsed_ns);
  void write_no_longer_large(std::int64_t now_ns, std::int64_t elapsed_ns);
  void write_usage(pid_t process, Listed& listed, std::int64_t now_ns, std::int64_t usage);
  Listed* list(pid_t process);

  const HostAccess& host_;
  SeriesWriter& out_;
  DescriptorBudget budget_{4};
  ProcFile stat_;
  unsigned scans_ = 0;
  std::optional<std::int64_t> scan_ns_;  // of the last scan
  std::int64_t own_cpu_ns_ = 0;
  std::optional<std::int64_t> busy_ns_;
  std::unordered_map<pid_t, Seen> seen_;
  std::vector<Used> used_;  // the largest first
  std::unordered_map<pid_t, Listed> listed_;
  Series usage_ = {.metric = "foreign_cpu_usage", .scale = -1};
  std::array<char, kProcBytes> buffer_ = {};
  std::vector<pid_t> all_;
};

}  // namespace strobe::record
