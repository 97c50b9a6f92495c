#include "strobe/bench/providers/codegen/row_stream.h"

#include <algorithm>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/row_plan.h"
#include "strobe/bench/providers/codegen/row_walk_text.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

RowPlan stream_plan(const Expression& expression) {
  RowPlan plan = plan_rows(expression, KeepPolicy::kNone);
  join_walks(plan, expression);
  return plan;
}

class StreamEmitter {
 public:
  StreamEmitter(const KernelTask& task, const RowStream& schedule)
      : task_(task),
        schedule_(schedule),
        plan_(stream_plan(task.expression)),
        join_{.group = schedule.threads, .reductions = plan_.reductions()},
        values_(schedule.packet_bytes / static_cast<int>(task.value_bytes())),
        packets_(task.columns / values_) {}

  std::string source(const std::string& name) {
    text_.raw(helper_text({.dtype = task_.dtype,
                           .packet_bytes = schedule_.packet_bytes,
                           .hint = schedule_.hint,
                           .has_shared = true},
                          task_.expression));
    text_.raw(join_helpers(task_.expression));
    text_.open(signature_text(task_, name, schedule_.threads, schedule_.blocks_per_sm, {"rows"}));
    text_.line("const int t = static_cast<int>(threadIdx.x);");
    text_.line("float* const partial = reinterpret_cast<float*>(strobe_shared());");
    text_.line("const long long row = blockIdx.x;");
    text_.line("const long long base = row * ", packets_, ";");
    int reduction = 0;
    for (std::size_t w = 0; w < plan_.walks.size(); ++w) {
      const RowWalk& walk = plan_.walks[w];
      emit_row_values(text_, task_, walk);
      emit_row_outputs(text_, task_, walk, "t == 0");
      if (walk.joins_softmax) {
        reduction += 1;
        continue;
      }
      if (walk.reduce.empty() && walk.outputs.empty()) continue;
      if (walk.is_joined_later) {
        one_walk_for_softmax(walk, plan_.walks[w + 1], reduction);
      } else {
        emit_accumulators(text_, task_, walk, packets_);
        over_row(walk, [&](int unroll) { plain_body(walk, unroll); });
        if (!walk.reduce.empty()) {
          emit_join(text_, task_.expression, walk.reduce, join_, reduction, false);
        }
        if (walk.moments) emit_moments(text_, task_, *walk.moments);
      }
      reduction += static_cast<int>(walk.reduce.size());
    }
    text_.close();
    return std::move(text_).take();
  }

  int shared_bytes() const { return partial_bytes(join_); }

 private:
  const Node& node(NodeIndex index) const { return node_of(task_.expression, index); }
  const std::string& input_name(NodeIndex index) const {
    return input_of(task_.expression, node(index)).name;
  }

  // `unroll` packets at a time, then one by one.
  template <class Body>
  void over_row(const RowWalk& walk, const Body& body) {
    const std::int64_t step = std::int64_t{schedule_.threads} * schedule_.unroll;
    const std::int64_t whole = packets_ / step * step;
    if (whole > 0 && schedule_.unroll > 1) {
      text_.line("#pragma unroll 1");
      text_.open("for (int first = t; first < ", whole, "; first += ", step, ")");
      load(walk, schedule_.unroll);
      body(schedule_.unroll);
      text_.close();
    }
    const std::int64_t from = schedule_.unroll > 1 ? whole : 0;
    if (from < packets_) {
      text_.open("for (int first = t", from > 0 ? cat(" + ", from) : std::string(), "; first < ",
                 packets_, "; first += ", schedule_.threads, ")");
      load(walk, 1);
      body(1);
      text_.close();
    }
  }

  void load(const RowWalk& walk, int unroll) {
    for (const RowWalk::Read& read : walk.reads) {
      text_.line("strobe_packet ", input_name(read.node), "_packet[", unroll, "];");
    }
    open_unrolled(unroll);
    for (const RowWalk::Read& read : walk.reads) {
      text_.line(input_name(read.node), "_packet[u] = strobe_load(", input_name(read.node),
                 " + base + first + u * ", schedule_.threads, ");");
    }
    text_.close();
  }

  void open_unrolled(int unroll) {
    text_.line("#pragma unroll");
    text_.open("for (int u = 0; u < ", unroll, "; ++u)");
  }

  PacketNames unpacked(const RowWalk& walk) {
    for (const RowWalk::Read& read : walk.reads) {
      text_.line("float ", input_name(read.node), "_value[", values_, "];");
      text_.line("strobe_unpack(", input_name(read.node), "_packet[u], ", input_name(read.node),
                 "_value);");
    }
    for (const NodeIndex column : walk.columns) {
      text_.line("float ", input_name(column), "_value[", values_, "];");
      text_.line("strobe_unpack(__ldg(reinterpret_cast<const strobe_packet*>(", input_name(column),
                 ") + first + u * ", schedule_.threads, "), ", input_name(column), "_value);");
    }
    PacketNames names;
    names.read = [this](NodeIndex index) { return cat(input_name(index), "_value[v]"); };
    names.column = names.read;
    names.packet = cat("base + first + u * ", schedule_.threads);
    return names;
  }

  void plain_body(const RowWalk& walk, int unroll) {
    open_unrolled(unroll);
    const PacketNames names = unpacked(walk);
    emit_packet(text_, task_, walk, values_, names);
    text_.close();
  }

  // Running maximum and sum; the sum is scaled when the maximum grows.
  void one_walk_for_softmax(const RowWalk& first, const RowWalk& second, int reduction) {
    const NodeIndex maximum = first.reduce.front();
    const NodeIndex sum = second.reduce.front();
    const NodeIndex from = node(maximum).a;
    emit_accumulators(text_, task_, first, packets_);
    text_.line("float n", sum, " = 0.0f;");
    over_row(first, [&](int unroll) {
      text_.line("float own[", unroll, "][", values_, "];");
      text_.line("const float before = n", maximum, ";");
      open_unrolled(unroll);
      PacketNames names = unpacked(first);
      RowWalk kept = first;
      kept.keeps = {{from, 0}};
      names.kept = [](int) { return std::string("own[u][v]"); };
      emit_packet(text_, task_, kept, values_, names);
      text_.close();
      text_.line("n", sum, " *= strobe_exp(before - n", maximum, ");");
      open_unrolled(unroll);
      text_.line("#pragma unroll");
      text_.line("for (int v = 0; v < ", values_, "; ++v) n", sum, " += strobe_exp(own[u][v] - n",
                 maximum, ");");
      text_.close();
    });
    emit_join(text_, task_.expression, {maximum, sum}, join_, reduction, true);
  }

  const KernelTask& task_;
  const RowStream& schedule_;
  RowPlan plan_;
  JoinLayout join_;
  int values_;
  std::int64_t packets_;
  SourceText text_;
};

}  // namespace

std::vector<RowStream> row_stream_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<RowStream> schedules;
  const int packet = packet_bytes_for(task.columns, task.dtype);
  const std::int64_t packets = task.columns * task.value_bytes() / packet;
  const auto add = [&](int threads, int unroll) {
    const bool is_least = threads == 256 && unroll == 1;
    if (packets < std::int64_t{threads} * unroll && !is_least) return;
    const int registers = 24 + static_cast<int>(task.element_inputs()) * unroll * packet / 4;
    const int blocks = std::min(chip.threads_per_sm / threads,
                                chip.registers_per_sm / (threads * ((registers + 7) / 8 * 8)));
    schedules.push_back({threads, unroll, packet, std::max(blocks, 1)});
  };
  for (const auto& [threads, unroll] :
       {std::pair(512, 4), std::pair(1024, 4), std::pair(1024, 2), std::pair(512, 2),
        std::pair(256, 4), std::pair(512, 8), std::pair(256, 1)}) {
    add(threads, unroll);
  }
  return schedules;
}

GeneratedKernel emit_row_stream(const KernelTask& task, const RowStream& schedule) {
  StreamEmitter emitter(task, schedule);
  GeneratedKernel kernel;
  kernel.name = kernel_name(
      task, "row_stream",
      cat(task.columns, "_", schedule.threads, "x", schedule.unroll,
          schedule.packet_bytes == 16 ? std::string() : cat("_", schedule.packet_bytes, "b"),
          hint_suffix(schedule.hint)));
  kernel.grid = {static_cast<std::uint32_t>(task.rows), 1, 1};
  kernel.block = {static_cast<std::uint32_t>(schedule.threads), 1, 1};
  kernel.shared_bytes = static_cast<std::uint32_t>(emitter.shared_bytes());
  kernel.source = emitter.source(kernel.name);
  kernel.arguments = arguments_of(task, {task.rows});
  return kernel;
}

double streamed_bytes(const KernelTask& task) {
  const RowPlan plan = stream_plan(task.expression);
  double bytes = task.bytes_of_tensors();
  const double row_inputs =
      static_cast<double>(task.elements()) * static_cast<double>(task.value_bytes());
  bytes -= row_inputs * static_cast<double>(task.element_inputs());
  for (const RowWalk& walk : plan.walks) {
    if (walk.joins_softmax) continue;
    bytes += row_inputs * static_cast<double>(walk.reads.size());
  }
  return bytes;
}

std::string label_of(const RowStream& schedule) {
  return cat(
      "row-stream ", schedule.threads, "x", schedule.unroll, "x", schedule.packet_bytes, "B",
      schedule.hint == CacheHint::kPlain ? std::string() : cat(" ", hint_name(schedule.hint)));
}

}  // namespace strobe::bench
