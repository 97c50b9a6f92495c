#include "strobe/bench/providers/codegen/row_walk_text.h"

#include "strobe/bench/providers/codegen/emit_expression.h"

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
    // A thread's own maximum is taken off its own values: it must be a number even where there are
    // none.
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

}  // namespace strobe::bench
