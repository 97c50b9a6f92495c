#include "strobe/analysis/tables/user_ranges.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/analysis/timeline/row_index.h"

namespace strobe::analysis {
namespace {

bool says_memory(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find("memcpy") != std::string::npos ||
         lower.find("memorycopy") != std::string::npos || lower.find("memset") != std::string::npos;
}

// The question is asked once per name.
class MemoryNames {
 public:
  explicit MemoryNames(const StringPool& strings) : strings_(strings), answers_(strings.size()) {}
  bool says_memory(StringId name) {
    Answer& answer = answers_[name.index()];
    if (answer == Answer::kUnknown) {
      answer = analysis::says_memory(strings_[name]) ? Answer::kYes : Answer::kNo;
    }
    return answer == Answer::kYes;
  }

 private:
  enum class Answer : std::uint8_t { kUnknown, kYes, kNo };
  const StringPool& strings_;
  std::vector<Answer> answers_;
};

class RangeTable {
 public:
  explicit RangeTable(const AttributedTrace& input) : input_(input), rows_(input.trace.strings()) {}

  void add(NodeId node) {
    const std::size_t row = rows_.row_of(input_.name(node));
    if (row == ranges_.size()) ranges_.emplace_back();
    ranges_[row].host.add(input_.host_ns(node));
    ranges_[row].device.add(input_.device_ns(node));
    const OpTree& tree = input_.tree;
    std::int64_t self_ns = input_.host_ns(node);
    for (std::size_t child = node.index() + 1; child < tree.subtree_ends[node.index()].index();
         child = tree.subtree_ends[child].index()) {
      self_ns -= input_.host_ns(NodeId(child));
    }
    ranges_[row].self_host_ns += self_ns;
  }
  // A runtime call of a range that was added.
  void add_call(NodeId owner, std::size_t call) {
    ranges_[rows_.row_of(input_.name(owner))].self_host_ns -=
        input_.trace.duration_ns(input_.attribution.calls.slices[call]);
  }
  std::vector<UserRangeRow> take() {
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      ranges_[row].name = std::string(input_.trace.strings()[rows_.name(row)]);
    }
    rows_.clear();
    return std::exchange(ranges_, {});
  }

 private:
  const AttributedTrace& input_;
  NameRows rows_;
  std::vector<UserRangeRow> ranges_;
};

}  // namespace

std::vector<UserRangeRow> list_memory_ranges(const AttributedTrace& input) {
  const OpTree& tree = input.tree;
  MemoryNames names(input.trace.strings());
  RangeTable table(input);
  const auto belongs = [&](NodeId node) {
    const SliceKind role = tree.roles[node.index()];
    return (role == SliceKind::kUserRange || role == SliceKind::kAnnotation) &&
           names.says_memory(input.name(node));
  };
  for (const NodeId node : tree.visiting_order) {
    if (belongs(node)) table.add(node);
  }
  const auto& owners = input.attribution.calls.owners;
  for (std::size_t call = 0; call < owners.size(); ++call) {
    if (belongs(owners[call])) table.add_call(owners[call], call);
  }
  return table.take();
}

std::vector<ThreadGroup<UserRangeRow>> list_user_ranges(const AttributedTrace& input,
                                                        bool separate_threads) {
  const OpTree& tree = input.tree;
  MemoryNames names(input.trace.strings());
  RangeTable table(input);
  std::vector<ThreadGroup<UserRangeRow>> groups;
  const auto close_group = [&](std::string thread) {
    std::vector<UserRangeRow> rows = table.take();
    if (!rows.empty()) groups.push_back({std::move(thread), std::move(rows)});
  };
  const auto belongs = [&](NodeId node) {
    return tree.roles[node.index()] == SliceKind::kAnnotation &&
           !names.says_memory(input.name(node));
  };
  const auto& calls = input.attribution.calls;
  for (std::size_t t = 0; t < tree.threads.size(); ++t) {
    const HostThread& thread = tree.threads[t];
    for (std::size_t i = thread.root.index(); i < thread.end.index(); ++i) {
      const NodeId node = tree.visiting_order[i];
      if (belongs(node)) table.add(node);
    }
    for (std::size_t i = calls.thread_begins[t]; i < calls.thread_begins[t + 1]; ++i) {
      if (belongs(calls.owners[i])) table.add_call(calls.owners[i], i);
    }
    if (separate_threads) close_group(std::string(input.trace.strings()[thread.thread]));
  }
  if (!separate_threads) close_group("");
  return groups;
}

}  // namespace strobe::analysis
