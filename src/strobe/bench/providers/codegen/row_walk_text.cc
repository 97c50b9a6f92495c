#include "strobe/bench/providers/codegen/row_walk_text.h"

#include <algorithm>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/kernel_task.h"

namespace strobe::bench {
std::string value_name(const Expression& expression, NodeIndex node) {
  const Node& of = node_of(expression, node);
  return of.op == Op::kConst ? float_text(of.constant) : cat("n", node);
}

void emit_row_values(SourceText& text, const KernelTask& task, const RowWalk& walk) {
  const OperandName name = [&](NodeIndex node) { return value_name(task.expression, node); };
  for (const NodeIndex index : walk.row_values) {
    const Node& node = node_of(task.expression, index);
    if (node.op == Op::kInput) {
      const Tensor& input = input_of(task.expression, node);
      text.line("const float n", index, " = strobe_wide(__ldg(", input.name,
                input.extent == Extent::kRows ? " + row" : "", "));");
    } else {
      text.line("const float n", index, " = ", node_text(node, name), ";");
    }
  }
}

void emit_row_outputs(SourceText& text, const KernelTask& task, const RowWalk& walk,
                      const std::string& is_writer) {
  if (walk.row_outputs.empty()) return;
  text.open("if (", is_writer, ")");
  for (const std::size_t index : walk.row_outputs) {
    const Output& output = task.expression.outputs[index];
    text.line(output.tensor.name, "[row] = strobe_narrow(",
              value_name(task.expression, output.node), ");");
  }
  text.close();
}

void emit_accumulators(SourceText& text, const KernelTask& task, const RowWalk& walk,
                       std::int64_t packets) {
  if (walk.moments) {
    const Node& input = node_of(task.expression, walk.moments->input);
    text.line("const float n", walk.moments->sum,
              "_shift = strobe_wide(__ldg(reinterpret_cast<const strobe_value*>(",
              input_of(task.expression, input).name, " + row * ", packets, ")));");
  }
  for (const NodeIndex index : walk.reduce) {
    // A thread subtracts its own maximum from its own values: it must be a finite number even
    // without values.
    text.line(
        "float n", index, " = ",
        walk.is_joined_later ? "-3.40282347e+38f" : identity_text(node_of(task.expression, index)),
        ";");
  }
}

void emit_moments(SourceText& text, const KernelTask& task, const Moments& moments) {
  const auto columns = static_cast<double>(task.columns);
  text.line("n", moments.squares, " -= n", moments.sum, " * n", moments.sum, " * ",
            float_text(1 / columns), ";");
  text.line("n", moments.sum, " += n", moments.sum, "_shift * ", float_text(columns), ";");
}

void emit_packet(SourceText& text, const KernelTask& task, const RowWalk& walk, int values,
                 const PacketNames& names) {
  const Expression& expression = task.expression;
  const OperandName name = [&](NodeIndex node) { return value_name(expression, node); };
  for (const std::size_t index : walk.outputs) {
    text.line("float ", expression.outputs[index].tensor.name, "_value[", values, "];");
  }
  text.line("#pragma unroll");
  text.open("for (int v = 0; v < ", values, "; ++v)");
  for (const RowWalk::Read& read : walk.reads) {
    text.line("const float n", read.node, " = ", names.read(read.node), ";");
  }
  for (const NodeIndex column : walk.columns) {
    text.line("const float n", column, " = ", names.column(column), ";");
  }
  for (const NodeIndex index : walk.compute) {
    text.line("const float n", index, " = ", node_text(node_of(expression, index), name), ";");
  }
  if (walk.moments) {
    const auto& [input, sum, squares] = *walk.moments;
    text.line("const float n", sum, "_part = n", input, " - n", sum, "_shift;");
    text.line("n", sum, " += n", sum, "_part;");
    text.line("n", squares, " += n", sum, "_part * n", sum, "_part;");
  } else {
    for (const NodeIndex index : walk.reduce) {
      const Node& node = node_of(expression, index);
      text.line(accumulate_text(node, cat("n", index), value_name(expression, node.a)));
    }
  }
  for (const RowWalk::Keep& keep : walk.keeps) {
    text.line(names.kept(keep.slot), " = n", keep.node, ";");
  }
  for (const std::size_t index : walk.outputs) {
    const Output& output = expression.outputs[index];
    text.line(output.tensor.name, "_value[v] = ", value_name(expression, output.node), ";");
  }
  text.close();
  for (const std::size_t index : walk.outputs) {
    const std::string& output = expression.outputs[index].tensor.name;
    text.line("strobe_store(", output, " + ", names.packet, ", strobe_pack(", output, "_value));");
  }
}

std::string join_name(const Node& reduction) { return reduction.op == Op::kRowSum ? "sum" : "max"; }

std::string join_helpers(const Expression& expression) {
  std::string text;
  for (const Op op : {Op::kRowSum, Op::kRowMax}) {
    if (!uses(expression, op)) continue;
    const Node node = {.op = op};
    text += cat("template <int kLanes>\n__device__ __forceinline__ float strobe_join_",
                join_name(node), "(float value) {\n#pragma unroll\n",
                "  for (int lanes = kLanes / 2; lanes > 0; lanes /= 2) {\n    ",
                accumulate_text(node, "value", "__shfl_xor_sync(0xffffffffu, value, lanes)"),
                "\n  }\n  return value;\n}\n\n");
  }
  return text;
}

namespace {

class JoinEmitter {
 public:
  JoinEmitter(SourceText& text, const Expression& expression, const std::vector<NodeIndex>& joined,
              const JoinLayout& layout, int first_reduction, bool is_softmax)
      : text_(text),
        expression_(expression),
        joined_(joined),
        layout_(layout),
        first_reduction_(first_reduction),
        is_softmax_(is_softmax) {}

  void over_lanes() {
    const int lanes = std::min(layout_.group, 32);
    if (lanes == 1) return;
    if (!is_softmax_) {
      for (const NodeIndex index : joined_) {
        text_.line("n", index, " = ", join_text(index, lanes, cat("n", index)), ";");
      }
      return;
    }
    const NodeIndex maximum = joined_.front();
    const NodeIndex sum = joined_.back();
    text_.line("const float n", maximum, "_warp = ", join_text(maximum, lanes, cat("n", maximum)),
               ";");
    text_.line(
        "n", sum, " = ",
        join_text(sum, lanes, cat("n", sum, " * strobe_exp(n", maximum, " - n", maximum, "_warp)")),
        ";");
    text_.line("n", maximum, " = n", maximum, "_warp;");
  }

  void over_warps() {
    const int parts = layout_.parts();
    if (parts == 1) return;
    const bool is_cluster = layout_.cluster > 1;
    const std::string warp = layout_.group > 32 ? "t / 32" : "0";
    text_.open("if (t % 32 ", is_cluster ? cat("< ", layout_.cluster) : std::string("== 0"), ")");
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      if (is_cluster) {
        text_.line("strobe_cluster_put(", place(i), " + rank * ", layout_.warps(), " + ", warp,
                   ", static_cast<unsigned>(t % 32), n", joined_[i], ");");
      } else {
        text_.line("(", place(i), ")[", warp, "] = n", joined_[i], ";");
      }
    }
    text_.close();
    if (is_cluster) {
      text_.line("strobe_cluster_arrive();");
      text_.line("strobe_cluster_wait();");
    } else {
      text_.line("__syncthreads();");
    }
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      for (int more = 0; more < parts; more += 32) take_part(i, more);
      text_.line("n", joined_[i], " = ",
                 join_text(joined_[i], std::min(parts, 32), cat("n", joined_[i])), ";");
    }
  }

 private:
  std::string join_text(NodeIndex index, int lanes, const std::string& value) const {
    return cat("strobe_join_", join_name(node_of(expression_, index)), "<", lanes, ">(", value,
               ")");
  }

  std::string place(std::size_t which) const {
    const int region = layout_.rows_per_block * layout_.parts();
    const int offset = (first_reduction_ + static_cast<int>(which)) * region;
    return cat(
        "partial + ",
        layout_.alternates ? cat("odd * ", layout_.reductions * region, " + ") : std::string(),
        offset);
  }

  std::string part(std::size_t which, int more) const {
    return cat("(", place(which), ")[t % ", std::min(layout_.parts(), 32),
               more > 0 ? cat(" + ", more) : std::string(), "]");
  }

  void take_part(std::size_t which, int more) {
    const NodeIndex index = joined_[which];
    std::string value = part(which, more);
    if (is_softmax_ && which == 1) {
      value += cat(" * strobe_exp(", part(0, more), " - n", joined_.front(), ")");
    }
    text_.line(more == 0 ? cat("n", index, " = ", value, ";")
                         : accumulate_text(node_of(expression_, index), cat("n", index), value));
  }

  SourceText& text_;
  const Expression& expression_;
  const std::vector<NodeIndex>& joined_;
  const JoinLayout& layout_;
  int first_reduction_;
  bool is_softmax_;
};

}  // namespace

void emit_join(SourceText& text, const Expression& expression, const std::vector<NodeIndex>& joined,
               const JoinLayout& layout, int first_reduction, bool is_softmax) {
  JoinEmitter emitter(text, expression, joined, layout, first_reduction, is_softmax);
  emitter.over_lanes();
  emitter.over_warps();
}

}  // namespace strobe::bench
