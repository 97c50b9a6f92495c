#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strobe/bench/providers/codegen/helper_text.h"
#include "strobe/bench/providers/codegen/kernel_task.h"
#include "strobe/bench/providers/codegen/row_plan.h"

// A kernel that reads its row once and keeps it on the chip while it is reduced: in registers or in
// shared memory, in a part of a warp, in blocks or over the blocks of a cluster. The schedules
// row_registers, row_shared and row_cluster are special cases of it.
namespace strobe::bench {

enum class RowLoad : std::uint8_t {
  kDirect,  // from memory into registers
  kBulk,    // by the copy engine into shared memory; sm_90, rows of whole 16 bytes
  kAsync,   // every thread its own packets into shared memory; sm_80
};

enum class RowOrder : std::uint8_t {
  kTile,     // a block ends with its rows
  kChunk,    // a block takes some rows one after the other
  kStaying,  // as many blocks as fit, rows in strides
};

// Where an operand with one value per column is read.
enum class ColumnPlace : std::uint8_t {
  kMemory,     // read again for every row, after its reductions
  kRegisters,  // read together with the row
  kShared,     // read once for all rows of a block
};

struct RowSchedule {
  std::string name;   // "row_registers"
  int threads = 256;  // per block
  int group = 256;    // threads per row, within a block; a power of two
  int cluster = 1;    // blocks that share a row
  int packet_bytes = 16;
  RowLoad load = RowLoad::kDirect;
  int stages = 0;  // rows in flight to shared memory; 0 with kDirect
  bool is_held_in_shared = false;
  bool joins_walks = false;  // maximum and sum of a softmax, or both moments, in one exchange
  ColumnPlace columns = ColumnPlace::kMemory;
  bool loads_ahead = false;  // kDirect in a loop: the next row is loaded while one is reduced
  RowOrder order = RowOrder::kTile;
  int chunk = 1;          // kChunk: rows per block
  int blocks_per_sm = 1;  // that should fit
  CacheHint hint = CacheHint::kPlain;

  int rows_per_block() const { return threads / group; }
  int warps_of_row() const { return group > 32 ? group / 32 : 1; }
  int partials() const { return warps_of_row() * cluster; }  // per reduction over a row
};

// Numbers derived from a schedule and a task. Shared memory, offsets in bytes:
//
//   stage 0 | stage 1 | ... | kept beside the inputs | partial results | barriers | columns
//
struct RowLayout {
  int values = 4;                // per packet
  std::int64_t packets = 0;      // per row
  std::int64_t slice = 0;        // packets in a block's part of the row
  std::int64_t least_slice = 0;  // the last block's part may be shorter
  int per_thread = 0;            // packets
  int always = 0;                // of these, how many every thread has
  std::int64_t slice_bytes = 0;  // of one input
  std::int64_t stage_bytes = 0;
  std::int64_t partial_offset = 0;
  std::int64_t barrier_offset = 0;
  std::int64_t columns_offset = 0;
  std::int64_t shared_bytes = 0;
  int registers = 0;  // per thread, estimated
};
constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) {
  return (value + to - 1) / to * to;
}
RowLayout layout_of(const KernelTask& task, const RowSchedule& schedule, const RowPlan& plan);
RowPlan plan_of(const KernelTask& task, const RowSchedule& schedule);

GeneratedKernel emit_row_kernel(const KernelTask& task, const RowSchedule& schedule,
                                const ChipFacts& chip);
std::string label_of(const RowSchedule& schedule);                           // for people
std::string detail_of(const KernelTask& task, const RowSchedule& schedule);  // in a kernel's name

// The ways to hold a row that are worth trying on a chip, the most promising first. Pruned by the
// bytes in flight that are needed to fill the bus (latency times bandwidth), by registers and by
// shared memory.
std::vector<RowSchedule> row_register_schedules(const KernelTask& task, const ChipFacts& chip);
std::vector<RowSchedule> row_shared_schedules(const KernelTask& task, const ChipFacts& chip);
std::vector<RowSchedule> row_cluster_schedules(const KernelTask& task, const ChipFacts& chip);

// Blocks of `schedule` that fit on a multiprocessor; 0: not even one.
int blocks_that_fit(const KernelTask& task, const RowSchedule& schedule, const ChipFacts& chip);

}  // namespace strobe::bench
