#include "strobe/bench/providers/codegen/row_kernel.h"

#include <algorithm>

#include "strobe/base/check.h"
#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/row_stages.h"
#include "strobe/bench/providers/codegen/row_walk_text.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

constexpr int kMostUnrolled = 16;  // packets of a walk over shared memory

class RowEmitter {
 public:
  RowEmitter(const KernelTask& task, const RowSchedule& schedule)
      : task_(task),
        schedule_(schedule),
        plan_(plan_of(task, schedule)),
        layout_(layout_of(task, schedule, plan_)),
        packets_(schedule, layout_),
        stages_({task, schedule, plan_, layout_, packets_}) {}

  std::string source(const std::string& name) {
    text_.raw(helper_text({.dtype = task_.dtype,
                           .packet_bytes = schedule_.packet_bytes,
                           .hint = schedule_.hint,
                           .has_shared = layout_.shared_bytes > 0,
                           .has_bulk = schedule_.load == RowLoad::kBulk,
                           .has_async = schedule_.load == RowLoad::kAsync,
                           .has_cluster = schedule_.cluster > 1},
                          task_.expression));
    text_.raw(join_helpers(task_.expression));
    text_.open(signature_text(task_, name, schedule_.threads, schedule_.blocks_per_sm, {"rows"}));
    places();
    if (schedule_.columns == ColumnPlace::kRegisters) columns_into_registers();
    if (schedule_.columns == ColumnPlace::kShared) columns_into_shared();
    if (is_loop()) {
      loop();
    } else {
      const std::string unit = schedule_.cluster > 1 ? cat("blockIdx.x / ", schedule_.cluster)
                               : schedule_.rows_per_block() > 1
                                   ? cat("blockIdx.x * ", schedule_.rows_per_block(),
                                         "ll + threadIdx.x / ", schedule_.group)
                                   : std::string("blockIdx.x");
      // Threads beyond the last row repeat it: they write the same values to the same place.
      text_.line("const long long row = ",
                 schedule_.rows_per_block() > 1 ? cat("min(", unit, ", rows - 1)") : unit, ";");
      one_row();
    }
    text_.close();
    return std::move(text_).take();
  }

  const RowLayout& layout() const { return layout_; }

 private:
  bool is_loop() const { return schedule_.order != RowOrder::kTile || schedule_.stages > 0; }
  bool is_cluster() const { return schedule_.cluster > 1; }
  const Node& node(NodeIndex index) const { return node_of(task_.expression, index); }
  const std::string& input_name(NodeIndex index) const {
    return input_of(task_.expression, node(index)).name;
  }
  int partials() const { return schedule_.partials(); }

  void places() {
    const bool is_part = schedule_.group < schedule_.threads;
    text_.line("const int t = static_cast<int>(threadIdx.x)",
               is_part ? cat(" % ", schedule_.group) : std::string(), ";");
    if (is_cluster()) {
      text_.line("const int rank = static_cast<int>(strobe_cluster_rank());");
      text_.line("const int begin = rank * ", layout_.slice, ";");
      if (layout_.least_slice != layout_.slice) {
        text_.line("const int count = min(", layout_.slice, ", ", layout_.packets, " - begin);");
      }
    }
    // A block must have started before another block sends it a value.
    if (is_cluster()) text_.line("strobe_cluster_arrive();");
    if (layout_.shared_bytes == 0) return;
    if (partials() > 1) {
      text_.line("float* const partial = reinterpret_cast<float*>(strobe_shared() + ",
                 layout_.partial_offset, ")",
                 is_part ? cat(" + static_cast<int>(threadIdx.x) / ", schedule_.group, " * ",
                               schedule_.warps_of_row())
                         : std::string(),
                 ";");
    }
    if (schedule_.load == RowLoad::kBulk) {
      text_.line(
          "unsigned long long* const arrived = reinterpret_cast<unsigned long "
          "long*>(strobe_shared() + ",
          layout_.barrier_offset, ");");
    }
  }

  void columns_into_registers() {
    for (const NodeIndex column : plan_.column_inputs) {
      text_.line("float ", input_name(column), "_held[", layout_.per_thread, "][", layout_.values,
                 "];");
    }
    if (plan_.column_inputs.empty()) return;
    packets_.open(text_);
    for (const NodeIndex column : plan_.column_inputs) {
      text_.line("strobe_unpack(", column_load(column), ", ", input_name(column), "_held[k]);");
    }
    packets_.close(text_);
  }
  // Each thread reads only what it wrote itself, so no barrier is needed.
  void columns_into_shared() {
    std::int64_t offset = layout_.columns_offset;
    for (const NodeIndex column : plan_.column_inputs) {
      text_.line("strobe_packet* const ", input_name(column),
                 "_kept = reinterpret_cast<strobe_packet*>(strobe_shared() + ", offset, ");");
      offset += layout_.slice_bytes;
    }
    packets_.open(text_);
    for (const NodeIndex column : plan_.column_inputs) {
      text_.line(input_name(column), "_kept[", packets_.here(), "] = ", column_load(column), ";");
    }
    packets_.close(text_);
  }
  std::string column_load(NodeIndex column) const {
    return cat("__ldg(reinterpret_cast<const strobe_packet*>(", input_name(column), ") + ",
               is_cluster() ? "begin + " : "", packets_.here(), ")");
  }

  void loop() {
    const int cluster = schedule_.cluster;
    const std::string unit =
        cluster > 1 ? cat("blockIdx.x / ", cluster) : std::string("blockIdx.x");
    if (schedule_.order == RowOrder::kStaying) {
      text_.line("const long long first = ", unit, ";");
      text_.line("const long long stride = gridDim.x",
                 cluster > 1 ? cat(" / ", cluster) : std::string(), ";");
      text_.line("const long long end = rows;");
    } else {
      const int chunk = schedule_.order == RowOrder::kChunk ? schedule_.chunk : 1;
      text_.line("const long long first = static_cast<long long>(", unit, ") * ", chunk, ";");
      text_.line("const long long stride = 1;");
      text_.line("const long long end = min(first + ", chunk, "ll, rows);");
    }
    if (stages_.are_any()) stages_.start(text_);
    if (schedule_.loads_ahead) {
      declare_packets();
      load_packets("first");
    }
    if (is_cluster()) text_.line("strobe_cluster_wait();");
    if (partials() > 1) text_.line("int odd = 0;");
    if (stages_.are_any()) text_.line("int stage = 0;");
    if (schedule_.load == RowLoad::kBulk) text_.line("unsigned parity = 0;");
    text_.open("for (long long row = first; row < end; row += stride)");
    one_row();
    if (partials() > 1) text_.line("odd ^= 1;");
    if (stages_.are_any()) {
      text_.open("if (++stage == ", schedule_.stages, ")");
      text_.line("stage = 0;");
      if (schedule_.load == RowLoad::kBulk) text_.line("parity ^= 1;");
      text_.close();
    }
    text_.close();
  }

  void one_row() {
    text_.line("const long long base = row * ", layout_.packets, is_cluster() ? " + begin" : "",
               ";");
    take_row();
    bool has_started = !is_cluster() || is_loop();
    int reduction = 0;
    bool is_freed = !stages_.are_any() || schedule_.is_held_in_shared;
    for (const RowWalk& walk : plan_.walks) {
      emit_row_values(text_, task_, walk);
      emit_row_outputs(text_, task_, walk, is_cluster() ? "rank == 0 && t == 0" : "t == 0");
      if (walk.reduce.empty() && walk.outputs.empty() && walk.keeps.empty()) continue;
      emit_accumulators(text_, task_, walk, layout_.packets);
      walk_packets(walk);
      if (!is_freed && schedule_.load == RowLoad::kAsync) {
        stages_.issue_next(text_);
        is_freed = true;
      }
      if (!walk.is_joined_later && !has_started) {
        text_.line("strobe_cluster_wait();");
        has_started = true;
      }
      if (!walk.is_joined_later) join(walk, reduction);
      if (!is_freed && !walk.is_joined_later) {
        stages_.issue_next(text_);
        is_freed = true;
      }
      reduction += static_cast<int>(walk.reduce.size());
    }
    if (stages_.are_any() && schedule_.is_held_in_shared) {
      if (schedule_.load == RowLoad::kBulk) {
        if (plan_.keeps_over_input()) text_.line("strobe_fence_async();");
        text_.line("__syncthreads();");
      }
      stages_.issue_next(text_);
    }
  }

  // Loads the row into registers, or sets pointers to it in shared memory.
  void take_row() {
    if (schedule_.load == RowLoad::kBulk)
      text_.line("strobe_barrier_wait(arrived + stage, parity);");
    if (schedule_.load == RowLoad::kAsync) {
      text_.line("strobe_async_wait<", schedule_.stages - 1, ">();");
    }
    if (schedule_.is_held_in_shared) {
      for (int slot = 0; slot < plan_.slots; ++slot) {
        const auto inputs = static_cast<int>(plan_.inputs.size());
        const std::string place =
            slot < inputs ? stages_.place("stage", static_cast<std::size_t>(slot))
                          : cat("strobe_shared() + ", layout_.stage_bytes * schedule_.stages +
                                                          (slot - inputs) * layout_.slice_bytes);
        text_.line("strobe_packet* const slot", slot, " = reinterpret_cast<strobe_packet*>(", place,
                   ");");
      }
      return;
    }
    for (int slot = 0; slot < plan_.slots; ++slot) {
      text_.line("float held", slot, "[", layout_.per_thread, "][", layout_.values, "];");
    }
    if (stages_.are_any()) {
      packets_.open(text_);
      for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
        text_.line("strobe_unpack(reinterpret_cast<const strobe_packet*>(",
                   stages_.place("stage", i), ")[", packets_.here(), "], held", i, "[k]);");
      }
      packets_.close(text_);
      return;
    }
    if (!schedule_.loads_ahead) {
      declare_packets();
      load_packets("row");
    }
    packets_.open(text_);
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      text_.line("strobe_unpack(", input_name(plan_.inputs[i]), "_packet[k], held", i, "[k]);");
    }
    packets_.close(text_);
    if (schedule_.loads_ahead) {
      text_.open("if (row + stride < end)");
      load_packets("(row + stride)");
      text_.close();
    }
  }

  void declare_packets() {
    for (const NodeIndex input : plan_.inputs) {
      text_.line("strobe_packet ", input_name(input), "_packet[", layout_.per_thread, "];");
    }
  }
  void load_packets(const std::string& row) {
    packets_.open(text_);
    for (const NodeIndex input : plan_.inputs) {
      text_.line(input_name(input), "_packet[k] = strobe_load(", input_name(input), " + ", row,
                 " * ", layout_.packets, is_cluster() ? " + begin + " : " + ", packets_.here(),
                 ");");
    }
    packets_.close(text_);
  }

  void walk_packets(const RowWalk& walk) {
    const bool in_shared = schedule_.is_held_in_shared;
    packets_.open(text_, !in_shared || layout_.per_thread <= kMostUnrolled);
    const bool held_columns = schedule_.columns == ColumnPlace::kRegisters;
    if (!held_columns) {
      for (const NodeIndex column : walk.columns) {
        text_.line("float ", input_name(column), "_value[", layout_.values, "];");
        text_.line("strobe_unpack(",
                   schedule_.columns == ColumnPlace::kShared
                       ? cat(input_name(column), "_kept[", packets_.here(), "]")
                       : column_load(column),
                   ", ", input_name(column), "_value);");
      }
    }
    std::vector<int> slots;
    if (in_shared) {
      for (const RowWalk::Read& read : walk.reads) {
        slots.push_back(read.slot);
        text_.line("float held", read.slot, "[", layout_.values, "];");
        text_.line("strobe_unpack(slot", read.slot, "[", packets_.here(), "], held", read.slot,
                   ");");
      }
      for (const RowWalk::Keep& keep : walk.keeps) {
        if (std::ranges::count(slots, keep.slot)) continue;
        text_.line("float held", keep.slot, "[", layout_.values, "];");
      }
    }
    const auto slot_text = [&](int slot) {
      return cat("held", slot, in_shared ? "[v]" : "[k][v]");
    };
    PacketNames names;
    names.read = [&](NodeIndex index) {
      const auto read = std::ranges::find(walk.reads, index, &RowWalk::Read::node);
      return cat(slot_text(read->slot),
                 is_own_power(index) ? cat(" * n", index, "_scale") : std::string());
    };
    names.column = [&](NodeIndex index) {
      return cat(input_name(index), held_columns ? "_held[k][v]" : "_value[v]");
    };
    names.kept = slot_text;
    names.packet = cat("base + ", packets_.here());
    emit_packet(text_, task_, walk, layout_.values, names);
    if (in_shared) {
      for (const RowWalk::Keep& keep : walk.keeps) {
        text_.line("slot", keep.slot, "[", packets_.here(), "] = strobe_pack(held", keep.slot,
                   ");");
      }
    }
    packets_.close(text_);
  }

  // Combines one value per thread into one value for the row; every thread gets it.
  void join(const RowWalk& walk, int first_reduction) {
    if (walk.reduce.empty()) return;
    std::vector<NodeIndex> joined = walk.reduce;
    if (walk.joins_softmax) {
      const NodeIndex maximum = softmax_maximum(walk);
      joined.insert(joined.begin(), maximum);
      --first_reduction;
      text_.line("const float n", maximum, "_own = n", maximum, ";");
    }
    const JoinLayout places = {.group = schedule_.group,
                               .cluster = schedule_.cluster,
                               .rows_per_block = schedule_.rows_per_block(),
                               .reductions = plan_.reductions(),
                               .alternates = is_loop()};
    emit_join(text_, task_.expression, joined, places, first_reduction, walk.joins_softmax);
    if (walk.moments) emit_moments(text_, task_, *walk.moments);
    if (!walk.joins_softmax) return;
    const NodeIndex maximum = joined.front();
    text_.line("const float n", node(walk.reduce.front()).a, "_scale = strobe_exp(n", maximum,
               "_own - n", maximum, ");");
  }

  // An exponential of a joined softmax is held relative to the thread's own maximum.
  bool is_own_power(NodeIndex index) const {
    return std::ranges::any_of(plan_.walks, [&](const RowWalk& walk) {
      return walk.joins_softmax && node(walk.reduce.front()).a == index;
    });
  }

  NodeIndex softmax_maximum(const RowWalk& walk) const {
    return node(node(node(walk.reduce.front()).a).a).b;
  }

  const KernelTask& task_;
  const RowSchedule& schedule_;
  RowPlan plan_;
  RowLayout layout_;
  RowPackets packets_;
  RowStages stages_;
  SourceText text_;
};

}  // namespace

GeneratedKernel emit_row_kernel(const KernelTask& task, const RowSchedule& schedule,
                                const ChipFacts& chip) {
  STROBE_CHECK(task.expression.has_reduction(), "rows matter to reductions only");
  RowEmitter emitter(task, schedule);
  GeneratedKernel kernel;
  kernel.name = kernel_name(task, schedule.name, detail_of(task, schedule));
  std::int64_t units = task.rows;
  if (schedule.order == RowOrder::kTile) {
    units = (task.rows + schedule.rows_per_block() - 1) / schedule.rows_per_block();
  } else if (schedule.order == RowOrder::kChunk) {
    units = (task.rows + schedule.chunk - 1) / schedule.chunk;
  } else {
    const std::int64_t fit =
        std::int64_t{chip.sm_count} * schedule.blocks_per_sm / schedule.cluster;
    units = std::min(units, std::max<std::int64_t>(fit, 1));
    kernel.stays = true;
  }
  kernel.grid = {static_cast<std::uint32_t>(units * schedule.cluster), 1, 1};
  kernel.block = {static_cast<std::uint32_t>(schedule.threads), 1, 1};
  kernel.cluster = static_cast<std::uint32_t>(schedule.cluster);
  kernel.shared_bytes = static_cast<std::uint32_t>(emitter.layout().shared_bytes);
  kernel.source = emitter.source(kernel.name);
  kernel.arguments = arguments_of(task, {task.rows});
  return kernel;
}

}  // namespace strobe::bench
