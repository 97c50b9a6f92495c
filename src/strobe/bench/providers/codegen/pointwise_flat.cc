#include "strobe/bench/providers/codegen/pointwise.h"

#include <algorithm>
#include <limits>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

class FlatEmitter {
 public:
  FlatEmitter(const KernelTask& task, const PointwiseFlat& schedule)
      : task_(task),
        schedule_(schedule),
        values_(schedule.packet_bytes / static_cast<int>(task.value_bytes())),
        has_whole_rows_(task.columns % values_ == 0) {
    const std::int64_t packets = task.elements() / values_;
    const std::int64_t most = std::numeric_limits<std::int32_t>::max() - (1 << 20);
    const bool is_long = packets > most || (!has_whole_rows_ && task.elements() > most);
    index_ = is_long ? "long long" : "int";
  }

  std::string source(const std::string& name) {
    text_.raw(helper_text(
        {.dtype = task_.dtype, .packet_bytes = schedule_.packet_bytes, .hint = schedule_.hint},
        task_.expression));
    text_.open(
        signature_text(task_, name, schedule_.threads, schedule_.blocks_per_sm, {"elements"}));
    text_.line("const ", index_, " packets = static_cast<", index_, ">(elements / ", values_, ");");
    text_.line("const ", index_, " tile = static_cast<", index_, ">(blockIdx.x) * ", tile(), ";");
    if (schedule_.blocks_per_sm > 0) {
      text_.line("const ", index_, " stride = static_cast<", index_, ">(gridDim.x) * ", tile(),
                 ";");
      text_.open(
          "for (", index_,
          " first = tile + static_cast<int>(threadIdx.x); first < packets; first += stride)");
      many_packets();
      text_.close();
    } else {
      text_.line("const ", index_, " first = tile + static_cast<int>(threadIdx.x);");
      many_packets();
    }
    if (task_.elements() % values_ != 0) last_values();
    text_.close();
    return std::move(text_).take();
  }

  int tile() const { return schedule_.threads * schedule_.unroll; }

 private:
  const Node& node(NodeIndex index) const { return node_of(task_.expression, index); }

  void many_packets() {
    const int unroll = schedule_.unroll;
    if (unroll == 1) {
      text_.open("if (first < packets)");
      packets(1);
      text_.close();
      return;
    }
    text_.open("if (first + ", (unroll - 1) * schedule_.threads, " < packets)");
    packets(unroll);
    text_.reopen("else");
    text_.open("for (", index_, " at = first; at < packets; at += ", schedule_.threads, ")");
    text_.open("if (at < first + ", tile(), ")");
    one_packet("at", false);
    text_.close();
    text_.close();
    text_.close();
  }

  void packets(int unroll) {
    each_packet_input([&](const Tensor& input) {
      text_.line("strobe_packet ", input.name, "_packet[", unroll, "];");
    });
    text_.line("#pragma unroll");
    text_.open("for (int u = 0; u < ", unroll, "; ++u)");
    each_packet_input([&](const Tensor& input) {
      text_.line(input.name,
                 "_packet[u] = ", load_text(input, cat("first + u * ", schedule_.threads)), ";");
    });
    text_.close();
    text_.line("#pragma unroll");
    text_.open("for (int u = 0; u < ", unroll, "; ++u)");
    text_.line("const ", index_, " at = first + u * ", schedule_.threads, ";");
    one_packet("at", true);
    text_.close();
  }

  template <class Do>
  void each_packet_input(const Do& act) {
    for (const Tensor& input : task_.expression.inputs) {
      if (is_packet(input)) act(input);
    }
  }
  bool is_packet(const Tensor& input) const {
    return input.extent == Extent::kElements ||
           (input.extent == Extent::kColumns && has_whole_rows_);
  }

  std::string load_text(const Tensor& input, const std::string& at) const {
    if (input.extent == Extent::kElements) return cat("strobe_load(", input.name, " + ", at, ")");
    return cat("__ldg(reinterpret_cast<const strobe_packet*>(", input.name, ") + (", at, ") % ",
               task_.columns / values_, ")");
  }

  void one_packet(const std::string& at, bool is_loaded) {
    each_packet_input([&](const Tensor& input) {
      text_.line("float ", input.name, "_value[", values_, "];");
      text_.line("strobe_unpack(", is_loaded ? cat(input.name, "_packet[u]") : load_text(input, at),
                 ", ", input.name, "_value);");
    });
    for (const Tensor& input : task_.expression.inputs) {
      if (input.extent == Extent::kRows && has_whole_rows_) {
        text_.line("const float ", input.name, "_row = strobe_wide(__ldg(", input.name, " + ", at,
                   " / ", task_.columns / values_, "));");
      }
    }
    each_output([&](const Output& output) {
      text_.line("float ", output.tensor.name, "_value[", values_, "];");
    });
    const bool has_cos = uses(task_.expression, Op::kCos);
    if (has_cos) text_.line("bool is_far = false;");
    each_value(at, Cosines::kNear);
    if (has_cos) {
      text_.open("if (is_far)");
      each_value(at, Cosines::kFar);
      text_.close();
    }
    each_output([&](const Output& output) {
      text_.line("strobe_store(", output.tensor.name, " + ", at, ", strobe_pack(",
                 output.tensor.name, "_value));");
    });
  }

  // kNear: fast, and reports arguments that are too far. kFar: correct everywhere, and slow.
  enum class Cosines : std::uint8_t { kNear, kFar };

  void each_value(const std::string& at, Cosines cosines) {
    text_.line("#pragma unroll");
    text_.open("for (int v = 0; v < ", values_, "; ++v)");
    nodes(
        [&](const Tensor& input) {
          if (is_packet(input)) return cat(input.name, "_value[v]");
          if (input.extent == Extent::kRows && has_whole_rows_) return cat(input.name, "_row");
          return single_text(input, cat("(", at, " * ", values_, " + v)"));
        },
        cat("(static_cast<unsigned>(", at, ") * ", values_, "u + v)"), cosines);
    each_output([&](const Output& output) {
      text_.line(output.tensor.name, "_value[v] = n", output.node, ";");
    });
    text_.close();
  }

  std::string single_text(const Tensor& input, const std::string& element) const {
    const std::string place = input.extent == Extent::kColumns ? cat(element, " % ", task_.columns)
                              : input.extent == Extent::kRows  ? cat(element, " / ", task_.columns)
                                                               : std::string("0");
    return cat("strobe_wide(__ldg(", input.name, " + ", place, "))");
  }

  // `place`, the index of the element, is unsigned.
  template <class Read>
  void nodes(const Read& read, const std::string& place, Cosines cosines) {
    const OperandName name = [&](NodeIndex index) {
      return node(index).op == Op::kConst ? float_text(node(index).constant) : cat("n", index);
    };
    for (std::size_t i = 0; i < task_.expression.nodes.size(); ++i) {
      const Node& node = task_.expression.nodes[i];
      if (node.op == Op::kConst) continue;
      text_.line("const float n", i, " = ",
                 node.op == Op::kInput     ? read(input_of(task_.expression, node))
                 : node.op == Op::kDropout ? dropout_text(node, name, place)
                 : node.op == Op::kCos     ? cos_text(name(node.a), cosines)
                                           : node_text(node, name),
                 ";");
    }
  }

  static std::string cos_text(const std::string& x, Cosines cosines) {
    return cosines == Cosines::kNear ? cat("strobe_cos_near(", x, ", is_far)")
                                     : cat("strobe_cos_far(", x, ")");
  }

  template <class Do>
  void each_output(const Do& act) {
    for (const Output& output : task_.expression.outputs) act(output);
  }

  // The last block handles the remaining values, fewer than a packet.
  void last_values() {
    text_.line("const long long left = static_cast<long long>(packets) * ", values_,
               " + static_cast<int>(threadIdx.x);");
    text_.open("if (blockIdx.x == gridDim.x - 1 && left < elements)");
    nodes(
        [&](const Tensor& input) {
          if (input.extent == Extent::kElements) {
            return cat("strobe_wide(reinterpret_cast<const strobe_value*>(", input.name,
                       ")[left])");
          }
          return single_text(input, "left");
        },
        "static_cast<unsigned>(left)", Cosines::kFar);
    each_output([&](const Output& output) {
      text_.line("reinterpret_cast<strobe_value*>(", output.tensor.name,
                 ")[left] = strobe_narrow(n", output.node, ");");
    });
    text_.close();
  }

  const KernelTask& task_;
  const PointwiseFlat& schedule_;
  int values_;
  bool has_whole_rows_;
  std::string index_;
  SourceText text_;
};

bool has_broadcast(const KernelTask& task) {
  return task.element_inputs() < task.expression.inputs.size();
}

}  // namespace

bool can_run_flat(const KernelTask& task) {
  if (task.expression.has_reduction()) return false;
  const bool is_transposed = task.expression.outputs.front().tensor.is_transposed;
  if (is_transposed && task.expression.dropout()) return false;  // no element indices there
  const auto fits = [&](const Tensor& tensor) {
    return tensor.extent == Extent::kElements ? tensor.is_transposed == is_transposed
                                              : !is_transposed;
  };
  return std::ranges::all_of(task.expression.inputs, fits) &&
         std::ranges::all_of(task.expression.outputs, [&](const Output& output) {
           return output.tensor.extent == Extent::kElements && fits(output.tensor);
         });
}

GeneratedKernel emit_pointwise_flat(const KernelTask& task, const PointwiseFlat& schedule,
                                    const ChipFacts& chip) {
  FlatEmitter emitter(task, schedule);
  GeneratedKernel kernel;
  kernel.name = kernel_name(
      task, "pointwise_flat",
      cat(has_broadcast(task) ? cat(task.columns, "_") : std::string(), schedule.threads, "x",
          schedule.unroll, "x", schedule.packet_bytes,
          schedule.blocks_per_sm > 0 ? cat("_stay", schedule.blocks_per_sm) : std::string(),
          hint_suffix(schedule.hint)));
  const std::int64_t packets =
      std::max<std::int64_t>(task.elements() * task.value_bytes() / schedule.packet_bytes, 1);
  std::int64_t blocks = (packets + emitter.tile() - 1) / emitter.tile();
  if (schedule.blocks_per_sm > 0) {
    blocks = std::min<std::int64_t>(blocks, std::int64_t{chip.sm_count} * schedule.blocks_per_sm);
  }
  kernel.grid = {static_cast<std::uint32_t>(blocks), 1, 1};
  kernel.block = {static_cast<std::uint32_t>(schedule.threads), 1, 1};
  kernel.source = emitter.source(kernel.name);
  kernel.arguments = arguments_of(task, {task.elements()});
  return kernel;
}

std::string label_of(const PointwiseFlat& schedule) {
  return cat(
      "pointwise-flat ", schedule.threads, "x", schedule.unroll, "x", schedule.packet_bytes, "B",
      schedule.blocks_per_sm > 0 ? cat(" stays ", schedule.blocks_per_sm) : std::string(),
      schedule.hint == CacheHint::kPlain ? std::string() : cat(" ", hint_name(schedule.hint)));
}

}  // namespace strobe::bench
