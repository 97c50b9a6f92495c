#pragma once

#include <string>

#include "strobe/bench/providers/codegen/row_kernel.h"
#include "strobe/bench/providers/codegen/source_text.h"

// The packets of a row that one thread has: `t`, and every group of threads further. Not every
// thread has the last ones.
namespace strobe::bench {

class RowPackets {
 public:
  RowPackets(const RowSchedule& schedule, const RowLayout& layout)
      : schedule_(schedule), layout_(layout) {}

  // A loop over them as `k`; inside, here() is the packet's place in the row's slice.
  void open(SourceText& text, bool is_unrolled = true) const;
  void close(SourceText& text) const;
  std::string here() const;

 private:
  std::string presence() const;  // of packet k in this thread; empty: always

  const RowSchedule& schedule_;
  const RowLayout& layout_;
};

}  // namespace strobe::bench
