#include "strobe/bench/providers/codegen/row_stages.h"

#include "strobe/bench/providers/codegen/emit_expression.h"

namespace strobe::bench {
std::string RowPackets::here() const { return cat("t + k * ", schedule_.group); }

std::string RowPackets::presence() const {
  if (layout_.always == layout_.per_thread) return "";
  const std::string limit = schedule_.cluster > 1 && layout_.least_slice != layout_.slice
                                ? std::string("count")
                                : cat(layout_.slice);
  const std::string inside = cat(here(), " < ", limit);
  return layout_.always == 0 ? inside : cat("k < ", layout_.always, " || ", inside);
}

void RowPackets::open(SourceText& text, bool is_unrolled) const {
  text.line(is_unrolled ? "#pragma unroll" : "#pragma unroll 4");
  text.open("for (int k = 0; k < ", layout_.per_thread, "; ++k)");
  const std::string present = presence();
  if (!present.empty()) text.open("if (", present, ")");
}

void RowPackets::close(SourceText& text) const {
  if (!presence().empty()) text.close();
  text.close();
}

const std::string& RowStages::input_name(NodeIndex index) const {
  const Expression& expression = parts_.task.expression;
  return input_of(expression, node_of(expression, index)).name;
}

std::string RowStages::place(const std::string& stage, std::size_t input) const {
  return cat("strobe_shared() + ", stage, " * ", parts_.layout.stage_bytes,
             input > 0 ? cat(" + ", static_cast<std::int64_t>(input) * parts_.layout.slice_bytes)
                       : std::string());
}

std::string RowStages::global_place(NodeIndex input, const std::string& row) const {
  return cat(input_name(input), " + ", row, " * ", parts_.layout.packets,
             parts_.schedule.cluster > 1 ? " + begin" : "");
}

void RowStages::start(SourceText& text) const {
  const int stages = parts_.schedule.stages;
  if (parts_.schedule.load == RowLoad::kBulk) {
    text.open("if (threadIdx.x == 0)");
    text.line("for (int s = 0; s < ", stages, "; ++s) strobe_barrier_init(arrived + s);");
    text.open("for (int s = 0; s < ", stages, "; ++s)");
    text.line("const long long ahead = first + s * stride;");
    text.open("if (ahead < end)");
    issue_bulk(text, "s", "ahead");
    text.close();
    text.close();
    text.close();
    text.line("__syncthreads();");
    return;
  }
  text.line("#pragma unroll");
  text.open("for (int s = 0; s < ", stages, "; ++s)");
  text.line("const long long ahead = first + s * stride;");
  issue_async(text, "s", "ahead");
  text.close();
}

void RowStages::issue_bulk(SourceText& text, const std::string& stage,
                           const std::string& row) const {
  const std::vector<NodeIndex>& inputs = parts_.plan.inputs;
  const bool is_uniform = parts_.layout.least_slice == parts_.layout.slice;
  const std::string bytes =
      is_uniform ? cat(parts_.layout.slice_bytes, "u")
                 : cat("static_cast<unsigned>(count) * ", parts_.schedule.packet_bytes, "u");
  text.line("strobe_barrier_expect(arrived + ", stage, ", ", inputs.size(), " * ", bytes, ");");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text.line("strobe_bulk_load(", place(stage, i), ", ", global_place(inputs[i], row), ", ", bytes,
              ", arrived + ", stage, ");");
  }
}

void RowStages::issue_async(SourceText& text, const std::string& stage,
                            const std::string& row) const {
  const std::vector<NodeIndex>& inputs = parts_.plan.inputs;
  const std::string here = parts_.packets.here();
  text.open("if (", row, " < end)");
  parts_.packets.open(text);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text.line("strobe_async_load(reinterpret_cast<strobe_packet*>(", place(stage, i), ") + ", here,
              ", ", global_place(inputs[i], row), " + ", here, ");");
  }
  parts_.packets.close(text);
  text.close();
  text.line("strobe_async_commit();");
}

void RowStages::issue_next(SourceText& text) const {
  const std::string ahead = cat("(row + ", parts_.schedule.stages, " * stride)");
  if (parts_.schedule.load == RowLoad::kAsync) {
    issue_async(text, "stage", ahead);
    return;
  }
  text.open("if (threadIdx.x == 0 && ", ahead, " < end)");
  issue_bulk(text, "stage", ahead);
  text.close();
}

}  // namespace strobe::bench
