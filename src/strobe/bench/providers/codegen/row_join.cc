#include "strobe/bench/providers/codegen/row_join.h"

#include <algorithm>

#include "strobe/bench/providers/codegen/emit_expression.h"
#include "strobe/bench/providers/codegen/kernel_frame.h"
#include "strobe/bench/providers/codegen/row_walk_text.h"

namespace strobe::bench {
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
