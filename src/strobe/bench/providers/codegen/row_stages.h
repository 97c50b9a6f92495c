#pragma once

#include <cstdint>
#include <string>

#include "strobe/bench/providers/codegen/row_kernel.h"
#include "strobe/bench/providers/codegen/source_text.h"

// The packets of a row that belong to one thread: `t`, and every multiple of the group size after
// it. Not every thread has the last ones.
namespace strobe::bench {

class RowPackets {
 public:
  RowPackets(const RowSchedule& schedule, const RowLayout& layout)
      : schedule_(schedule), layout_(layout) {}

  // A loop over them with index `k`; inside, here() is the packet's place in the row's slice.
  void open(SourceText& text, bool is_unrolled = true) const;
  void close(SourceText& text) const;
  std::string here() const;

 private:
  std::string presence() const;  // for packet k in this thread; empty: always

  const RowSchedule& schedule_;
  const RowLayout& layout_;
};

// Rows being loaded into shared memory while others are reduced. The kernel defines `first`,
// `stride` and `end` of its rows, and `stage` of the current one.
class RowStages {
 public:
  struct Parts {
    const KernelTask& task;
    const RowSchedule& schedule;
    const RowPlan& plan;
    const RowLayout& layout;
    const RowPackets& packets;
  };
  explicit RowStages(const Parts& parts) : parts_(parts) {}

  bool are_any() const { return parts_.schedule.stages > 0; }
  void start(SourceText& text) const;       // as many rows as stages
  void issue_next(SourceText& text) const;  // into the stage that is free now

  std::string place(const std::string& stage, std::size_t input) const;

 private:
  const std::string& input_name(NodeIndex index) const;
  std::string global_place(NodeIndex input, const std::string& row) const;
  void issue_bulk(SourceText& text, const std::string& stage, const std::string& row) const;
  void issue_async(SourceText& text, const std::string& stage, const std::string& row) const;

  Parts parts_;
};

}  // namespace strobe::bench
