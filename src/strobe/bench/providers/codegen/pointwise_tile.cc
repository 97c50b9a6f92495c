#include "strobe/bench/providers/codegen/pointwise.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/row_walk_text.h"
#include "strobe/bench/providers/codegen/source_text.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kMostBlocksDown = 65535;  // CUDA: along the second axis of a grid

// Positions are (across i, along j) of the outputs' layout; turned inputs are contiguous in i. With
// squares, a thread reads four packets of a turned input and writes the columns; in shared memory
// the packet columns of a line are permuted by the line's number, so that neither side has bank
// conflicts. With words, lines are one word longer than the tile, for the same reason.
class TileEmitter {
 public:
  TileEmitter(const KernelTask& task, const PointwiseTile& schedule)
      : task_(task),
        schedule_(schedule),
        is_transposed_(task.expression.outputs.front().tensor.is_transposed),
        values_(schedule.values) {}

  std::string source(const std::string& name) {
    text_.raw(helper_text({.dtype = task_.dtype,
                           .packet_bytes = values_ * static_cast<int>(task_.value_bytes()),
                           .hint = schedule_.hint,
                           .has_shared = schedule_.turn != Turn::kRegisters},
                          task_.expression));
    text_.open(signature_text(task_, name, schedule_.threads, 0, {"lines", "line_values"}));
    const bool is_narrow = task_.elements() <= std::numeric_limits<std::int32_t>::max() / 2;
    text_.line("using Place = ", is_narrow ? "int" : "long long", ";");
    text_.line("const Place across = static_cast<Place>(lines);");
    text_.line("const Place along = static_cast<Place>(line_values);");
    const bool is_across_first = tiles_across() > kMostBlocksDown;
    text_.line("const Place i0 = static_cast<Place>(blockIdx.", is_across_first ? "x" : "y", ") * ",
               schedule_.across, ";");
    text_.line("const Place j0 = static_cast<Place>(blockIdx.", is_across_first ? "y" : "x", ") * ",
               schedule_.along, ";");
    text_.line("const int t = static_cast<int>(threadIdx.x);");
    if (schedule_.turn == Turn::kRegisters) {
      squares_in_registers();
    } else {
      text_.line("float* const tile = reinterpret_cast<float*>(strobe_shared());");
      if (schedule_.turn == Turn::kWords) load_words();
      load_straight();
      if (schedule_.turn == Turn::kWords) {
        turn_words();
      } else {
        turn_squares();
      }
      text_.line("__syncthreads();");
      compute();
    }
    text_.close();
    return std::move(text_).take();
  }

  std::int64_t across() const { return is_transposed_ ? task_.columns : task_.rows; }
  std::int64_t along() const { return is_transposed_ ? task_.rows : task_.columns; }

  std::array<std::uint32_t, 3> grid() const {
    auto first = static_cast<std::uint32_t>((along() + schedule_.along - 1) / schedule_.along);
    auto second = static_cast<std::uint32_t>(tiles_across());
    if (second > kMostBlocksDown) std::swap(first, second);
    return {first, second, 1};
  }

  int shared_bytes() const {
    if (schedule_.turn == Turn::kRegisters) return 0;
    return static_cast<int>(turned().size()) * tile_floats() * 4;
  }

 private:
  std::vector<const Tensor*> turned() const { return inputs_where(true); }
  std::vector<const Tensor*> straight() const { return inputs_where(false); }
  std::vector<const Tensor*> inputs_where(bool is_turned) const {
    std::vector<const Tensor*> found;
    for (const Tensor& input : task_.expression.inputs) {
      if ((input.is_transposed != is_transposed_) == is_turned) found.push_back(&input);
    }
    return found;
  }

  std::int64_t tiles_across() const { return (across() + schedule_.across - 1) / schedule_.across; }
  int pitch() const {
    return schedule_.turn == Turn::kWords ? schedule_.along + 1 : schedule_.along;
  }
  int tile_floats() const { return schedule_.across * pitch(); }
  int packets() const {  // of a thread, in the outputs' layout
    return schedule_.across * schedule_.along / values_ / schedule_.threads;
  }
  int squares() const {
    return schedule_.across * schedule_.along / (values_ * values_) / schedule_.threads;
  }

  // In the tile of the turned input `number`: the packet at column `j` (a multiple of the packet's
  // length) of line `i`; by words, the word there.
  std::string place(int number, const std::string& i, const std::string& j) const {
    const std::string line = cat(number * tile_floats(), " + (", i, ") * ", pitch(), " + ");
    if (schedule_.turn == Turn::kWords) return line + j;
    const int columns = schedule_.along / values_;
    return cat(line, "(((", j, ") / ", values_, ") ^ (((", i, ") / ", values_, ") & ",
               std::min(columns, 8) - 1, ")) * ", values_);
  }

  void open_packets(int count, const char* step, bool is_turned) {
    const int line = (is_turned ? schedule_.across : schedule_.along) / values_;
    const int lines = is_turned && schedule_.turn == Turn::kSquares ? values_ : 1;
    text_.line("#pragma unroll");
    text_.open("for (int u = 0; u < ", count, "; ++u)");
    text_.line("const int ", step, " = t + u * ", schedule_.threads, ";");
    if (is_turned) {
      text_.line("const int i = ", step, " % ", line, " * ", values_, ";");
      text_.line("const int j = ", step, " / ", line, lines > 1 ? cat(" * ", lines) : "", ";");
    } else {
      text_.line("const int j = ", step, " % ", line, " * ", values_, ";");
      text_.line("const int i = ", step, " / ", line, ";");
    }
    text_.open("if (i0 + i < across && j0 + j < along)");
  }
  void close_packets() {
    text_.close();
    text_.close();
  }
  std::string home() const {
    return values_ == 1 ? "(i0 + i) * along + j0 + j"
                        : cat("((i0 + i) * along + j0 + j) / ", values_);
  }

  // Before the barrier, so that these loads are in flight while the tile is turned.
  void load_straight() {
    for (const Tensor* input : straight())
      text_.line("strobe_packet ", input->name, "_packet[", packets(), "];");
    if (straight().empty()) return;
    open_packets(packets(), "p", false);
    for (const Tensor* input : straight()) {
      text_.line(input->name, "_packet[u] = strobe_load(", input->name, " + ", home(), ");");
    }
    close_packets();
  }

  // First, because these loads have the longest latency.
  void load_words() {
    for (const Tensor* input : turned())
      text_.line("strobe_packet ", input->name, "_packet[", packets(), "];");
    open_packets(packets(), "s", true);
    for (const Tensor* input : turned()) {
      text_.line(input->name, "_packet[u] = strobe_load(", input->name,
                 " + ((j0 + j) * across + i0 + i) / ", values_, ");");
    }
    close_packets();
  }

  void turn_words() {
    int number = 0;
    for (const Tensor* input : turned()) {
      open_packets(packets(), "s", true);
      text_.line("float words[", values_, "];");
      text_.line("strobe_unpack(", input->name, "_packet[u], words);");
      text_.line("#pragma unroll");
      text_.line("for (int v = 0; v < ", values_, "; ++v) tile[", place(number, "i + v", "j"),
                 "] = words[v];");
      close_packets();
      ++number;
    }
  }

  void turn_squares() {
    int number = 0;
    for (const Tensor* input : turned()) {
      open_packets(squares(), "s", true);
      text_.line("float square[", values_, "][", values_, "];");
      text_.line("#pragma unroll");
      text_.open("for (int q = 0; q < ", values_, "; ++q)");
      const std::string address = cat("((j0 + j + q) * across + i0 + i) / ", values_);
      text_.line("strobe_unpack(strobe_load(", input->name, " + ", address, "), square[q]);");
      text_.close();
      text_.line("#pragma unroll");
      text_.open("for (int v = 0; v < ", values_, "; ++v)");
      text_.line("*reinterpret_cast<float4*>(tile + ", place(number, "i + v", "j"),
                 ") = make_float4(square[0][v], square[1][v], square[2][v], square[3][v]);");
      text_.close();
      close_packets();
      ++number;
    }
  }

  void squares_in_registers() {
    const int wide = schedule_.along / 32;
    text_.line("#pragma unroll");
    text_.open("for (int u = 0; u < ", squares(), "; ++u)");
    text_.line("const int s = t + u * ", schedule_.threads, ";");
    text_.line("const int j = s / 32 % ", wide, " * 32 + s % 8 * 4;");
    text_.line("const int i = s / 32 / ", wide, " * 16 + s % 32 / 8 * 4;");
    text_.open("if (i0 + i < across && j0 + j < along)");
    for (const Tensor& input : task_.expression.inputs) {
      text_.line("strobe_packet ", input.name, "_packet[4];");
    }
    text_.line("#pragma unroll");
    text_.open("for (int q = 0; q < 4; ++q)");
    for (const Tensor* input : straight()) {
      text_.line(input->name, "_packet[q] = strobe_load(", input->name,
                 " + ((i0 + i + q) * along + j0 + j) / 4);");
    }
    for (const Tensor* input : turned()) {
      text_.line(input->name, "_packet[q] = strobe_load(", input->name,
                 " + ((j0 + j + q) * across + i0 + i) / 4);");
    }
    text_.close();
    for (const Tensor& input : task_.expression.inputs) {
      text_.line("float ", input.name, "_square[4][4];");
      text_.line("#pragma unroll");
      text_.line("for (int q = 0; q < 4; ++q) strobe_unpack(", input.name, "_packet[q], ",
                 input.name, "_square[q]);");
    }
    text_.line("#pragma unroll");
    text_.open("for (int q = 0; q < 4; ++q)");
    values_and_stores(
        [&](const Tensor& input) {
          return cat(input.name,
                     input.is_transposed != is_transposed_ ? "_square[v][q]" : "_square[q][v]");
        },
        "((i0 + i + q) * along + j0 + j) / 4", "i0 + i + q");
    text_.close();
    close_packets();
  }

  void compute() {
    open_packets(packets(), "p", false);
    for (const Tensor* input : straight()) {
      text_.line("float ", input->name, "_value[", values_, "];");
      text_.line("strobe_unpack(", input->name, "_packet[u], ", input->name, "_value);");
    }
    int number = 0;
    for (const Tensor* input : turned()) {
      const std::string from = place(number, "i", "j");
      ++number;
      if (schedule_.turn == Turn::kWords) {
        text_.line("float ", input->name, "_value[", values_, "];");
        text_.line("#pragma unroll");
        text_.line("for (int v = 0; v < ", values_, "; ++v) ", input->name, "_value[v] = tile[",
                   from, " + v];");
      } else {
        text_.line("const float4 ", input->name,
                   "_turned = *reinterpret_cast<const float4*>(tile + ", from, ");");
        text_.line("const float ", input->name, "_value[4] = {", input->name, "_turned.x, ",
                   input->name, "_turned.y, ", input->name, "_turned.z, ", input->name,
                   "_turned.w};");
      }
    }
    values_and_stores([](const Tensor& input) { return input.name + "_value[v]"; }, home(),
                      "i0 + i");
    close_packets();
  }

  // Index of the v-th element of a packet on `line` of the outputs.
  std::string index_text(const std::string& line) const {
    const char* const columns = is_transposed_ ? "across" : "along";
    const std::string row = is_transposed_ ? "j0 + j + v" : line;
    const std::string column = is_transposed_ ? line : "j0 + j + v";
    return cat("static_cast<unsigned>((", row, ") * ", columns, " + ", column, ")");
  }

  // One packet of every output, on `line` of them; `value` is the v-th of an input.
  template <class Value>
  void values_and_stores(const Value& value, const std::string& where, const std::string& line) {
    const Expression& expression = task_.expression;
    for (const Output& output : expression.outputs)
      text_.line("float ", output.tensor.name, "_value[", values_, "];");
    text_.line("#pragma unroll");
    text_.open("for (int v = 0; v < ", values_, "; ++v)");
    const OperandName name = [&](NodeIndex index) { return value_name(expression, index); };
    for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
      const Node& node = expression.nodes[i];
      if (node.op == Op::kConst) continue;
      text_.line("const float n", i, " = ",
                 node.op == Op::kInput     ? value(input_of(expression, node))
                 : node.op == Op::kDropout ? dropout_text(node, name, index_text(line))
                                           : node_text(node, name),
                 ";");
    }
    for (const Output& output : expression.outputs) {
      text_.line(output.tensor.name, "_value[v] = ", value_name(expression, output.node), ";");
    }
    text_.close();
    for (const Output& output : expression.outputs) {
      text_.line("strobe_store(", output.tensor.name, " + ", where, ", strobe_pack(",
                 output.tensor.name, "_value));");
    }
  }

  const KernelTask& task_;
  const PointwiseTile& schedule_;
  bool is_transposed_;
  int values_;
  SourceText text_;
};

}  // namespace

bool can_run_tile(const KernelTask& task) {
  if (task.expression.has_reduction()) return false;
  const bool is_transposed = task.expression.outputs.front().tensor.is_transposed;
  return std::ranges::all_of(
             task.expression.inputs,
             [](const Tensor& input) { return input.extent == Extent::kElements; }) &&
         std::ranges::all_of(task.expression.outputs, [&](const Output& output) {
           return output.tensor.extent == Extent::kElements &&
                  output.tensor.is_transposed == is_transposed;
         });
}

std::vector<PointwiseTile> pointwise_tile_schedules(const KernelTask& task, const ChipFacts& chip) {
  std::vector<PointwiseTile> schedules;
  const int values = task.rows % 4 == 0 && task.columns % 4 == 0 ? 4 : 1;
  const bool is_large = task.elements() * task.value_bytes() > chip.l2_bytes;
  std::vector<CacheHint> hints = {CacheHint::kPlain};
  if (is_large) hints = {CacheHint::kPastL1, CacheHint::kKept};
  for (const CacheHint hint : hints) {
    const auto add = [&](Turn turn, int along, int across, int threads) {
      schedules.push_back({along, across, threads, values, hint, turn});
    };
    if (values == 1) {
      for (const int threads : {256, 128, 512}) add(Turn::kWords, 32, 32, threads);
      add(Turn::kWords, 64, 32, 256);
      continue;
    }
    if (!is_large) {
      for (const auto& [along, across, threads] :
           {std::tuple(64, 64, 512), std::tuple(64, 32, 256), std::tuple(32, 64, 256),
            std::tuple(32, 32, 256), std::tuple(32, 32, 128), std::tuple(64, 64, 256)}) {
        add(Turn::kWords, along, across, threads);
      }
    }
    for (const auto& [along, across] :
         {std::pair(64, 32), std::pair(32, 32), std::pair(64, 64), std::pair(128, 32),
          std::pair(32, 64), std::pair(128, 64)}) {
      add(Turn::kSquares, along, across, along * across / 16);
    }
    add(Turn::kSquares, 64, 64, 128);
    add(Turn::kSquares, 128, 32, 128);
    for (const auto& [along, across, threads] :
         {std::tuple(32, 16, 32), std::tuple(32, 32, 64), std::tuple(64, 32, 128),
          std::tuple(64, 64, 128)}) {
      add(Turn::kRegisters, along, across, threads);
    }
  }
  return schedules;
}

namespace {

const char* suffix_of(Turn turn) {
  switch (turn) {
    case Turn::kWords:
      return "_words";
    case Turn::kRegisters:
      return "_registers";
    case Turn::kSquares:
      break;
  }
  return "";
}

const char* turn_words(Turn turn) {
  switch (turn) {
    case Turn::kWords:
      return " by words";
    case Turn::kRegisters:
      return " in registers";
    case Turn::kSquares:
      break;
  }
  return "";
}

}  // namespace

GeneratedKernel emit_pointwise_tile(const KernelTask& task, const PointwiseTile& schedule) {
  TileEmitter emitter(task, schedule);
  GeneratedKernel kernel;
  kernel.name =
      kernel_name(task, "pointwise_tile",
                  cat(schedule.across, "x", schedule.along, "_", schedule.threads, "x",
                      schedule.values, suffix_of(schedule.turn), hint_suffix(schedule.hint)));
  kernel.grid = emitter.grid();
  kernel.block = {static_cast<std::uint32_t>(schedule.threads), 1, 1};
  kernel.shared_bytes = static_cast<std::uint32_t>(emitter.shared_bytes());
  kernel.source = emitter.source(kernel.name);
  kernel.arguments = arguments_of(task, {emitter.across(), emitter.along()});
  return kernel;
}

std::string label_of(const PointwiseTile& schedule) {
  return cat(
      "pointwise-tile ", schedule.across, "x", schedule.along, " ", schedule.threads, " threads",
      schedule.values == 1 ? " one by one" : "", turn_words(schedule.turn),
      schedule.hint == CacheHint::kPlain ? std::string() : cat(" ", hint_name(schedule.hint)));
}

}  // namespace strobe::bench
