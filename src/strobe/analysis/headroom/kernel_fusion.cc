#include "strobe/analysis/headroom/kernel_fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/headroom/kernel_sums.h"
#include "strobe/base/hash.h"
#include "strobe/base/text.h"

namespace strobe::analysis {
namespace {

using device::KernelFamily;
using FusionRows = std::span<const FusionRow>;

bool is_matrix(const FusionRow& row) {
  return does_matrix_work(row.family, row.sample.tensor_percent);
}

// A collective waits for other devices, a copy may not be a kernel at all, and a transposition
// needs data from every tile. None of them can join a pointwise kernel.
bool can_fuse(const FusionRow& row) {
  return !is_matrix(row) && row.family != KernelFamily::kCollective &&
         row.family != KernelFamily::kCopy;
}

bool is_same_stream(const FusionRow& a, const FusionRow& b) {
  return a.stream == b.stream && a.device == b.device;
}

std::vector<FusionRun> find_runs(FusionRows rows) {
  std::vector<FusionRun> runs;
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    if (can_fuse(rows[begin])) {
      while (end < rows.size() && can_fuse(rows[end]) && is_same_stream(rows[begin], rows[end])) {
        ++end;
      }
    }
    if (end - begin >= 2) {
      FusionRun run{.first_row = begin, .rows = end - begin};
      std::int64_t slowest_ns = 0;
      for (const FusionRow& row : rows.subspan(begin, end - begin)) {
        run.latency_ns += row.sample.latency_ns;
        slowest_ns = std::max(slowest_ns, row.sample.latency_ns);
      }
      run.saved_ns = run.latency_ns - slowest_ns;
      const auto is_product = [&](std::size_t row) {
        return is_same_stream(rows[row], rows[begin]) && is_matrix(rows[row]);
      };
      run.follows_matrix = begin > 0 && is_product(begin - 1);
      run.precedes_matrix = end < rows.size() && is_product(end);
      runs.push_back(run);
    }
    begin = end;
  }
  return runs;
}

class Planner {
 public:
  Planner(FusionRows rows, std::span<const std::string_view> details) : rows_(rows) {
    words_.reserve(details.size());
    for (const std::string_view detail : details) words_.push_back(chain_words(detail));
    for (const FusionRow& row : rows) whole_ns_ += row.sample.latency_ns;
  }

  FusionPlan plan() {
    plan_.runs = find_runs(rows_);
    group_runs();
    // Attention scores first: chains before them are recognised by them.
    chains_.resize(plan_.groups.size());
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) chains_[g] = recognise(g);
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      if (chains_[g].kind == ChainKind::kPlain) chains_[g] = recognise(g);
    }
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) describe(plan_.groups[g], chains_[g]);
    std::stable_sort(
        plan_.groups.begin(), plan_.groups.end(),
        [](const FusionGroup& a, const FusionGroup& b) { return a.saved_ns > b.saved_ns; });
    return std::move(plan_);
  }

 private:
  void group_runs() {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> groups_of_hash;
    group_of_run_.reserve(plan_.runs.size());
    for (std::size_t r = 0; r < plan_.runs.size(); ++r) {
      const FusionRun& run = plan_.runs[r];
      std::vector<std::size_t>& candidates = groups_of_hash[hash_of(run)];
      const auto same = std::ranges::find_if(
          candidates, [&](std::size_t g) { return has_names_of(plan_.groups[g], run); });
      const std::size_t g = same == candidates.end() ? plan_.groups.size() : *same;
      if (same == candidates.end()) {
        candidates.push_back(g);
        plan_.groups.push_back(group_like(run));
      }
      FusionGroup& group = plan_.groups[g];
      group_of_run_.push_back(g);
      group.runs.push_back(r);
      group.latency_ns += run.latency_ns;
      group.saved_ns += run.saved_ns;
      plan_.rows += run.rows;
      plan_.latency_ns += run.latency_ns;
      plan_.saved_ns += run.saved_ns;
    }
  }

  FusionRows rows_of(const FusionRun& run) const { return rows_.subspan(run.first_row, run.rows); }

  std::uint64_t hash_of(const FusionRun& run) const {
    std::uint64_t hash = kFnvStart;
    for (const FusionRow& row : rows_of(run)) hash = fnv1a(hash, row.name);
    return hash;
  }

  bool has_names_of(const FusionGroup& group, const FusionRun& run) const {
    return std::ranges::equal(group.names, rows_of(run), {}, {}, &FusionRow::name);
  }

  FusionGroup group_like(const FusionRun& run) const {
    FusionGroup group;
    std::set<std::string_view> families;
    for (const FusionRow& row : rows_of(run)) {
      group.names.push_back(row.name);
      families.insert(device::word_of(row.family));
    }
    for (const std::string_view family : families) {
      if (!group.families.empty()) group.families += '/';
      group.families += family;
    }
    return group;
  }

  // Most runs decide for the whole group, because the first and last run may be cut off.
  ChainPlace place_of(const FusionGroup& group) const {
    std::size_t follows = 0;
    std::size_t precedes = 0;
    std::size_t scores_next = 0;
    for (const std::size_t r : group.runs) {
      const FusionRun& run = plan_.runs[r];
      follows += run.follows_matrix;
      precedes += run.precedes_matrix;
      scores_next += run.precedes_matrix && scores_begin_at(r + 1, run.first_row + run.rows + 1);
    }
    const auto most = [&](std::size_t count) { return 2 * count > group.runs.size(); };
    return {most(follows), most(precedes), most(scores_next)};
  }

  bool scores_begin_at(std::size_t run, std::size_t row) const {
    return run < plan_.runs.size() && plan_.runs[run].first_row == row &&
           chains_[group_of_run_[run]].kind == ChainKind::kAttentionScores;
  }

  Chain recognise(std::size_t g) const {
    const FusionGroup& group = plan_.groups[g];
    std::vector<ChainLink> links;
    for (const FusionRow& row : rows_of(plan_.runs[group.runs.front()])) {
      links.push_back({row.family, row.name < words_.size() ? words_[row.name] : 0});
    }
    return recognise_chain(links, place_of(group));
  }

  void describe(FusionGroup& group, Chain& chain) const {
    group.chain = chain.kind;
    group.evidence = chain.evidence;
    group.what = std::move(chain.what);
    count_bytes(group);
    const auto share = [&](std::int64_t ns) {
      return share_text(whole_ns_ > 0 ? static_cast<double>(ns) / static_cast<double>(whole_ns_)
                                      : 0);
    };
    group.why = fmt::format(
        "{} x {} kernels take {} ({}); one kernel each saves {} launches and up to {} ({})",
        count_text(group.runs.size()), group.names.size(),
        mean_duration_text(static_cast<double>(group.latency_ns)), share(group.latency_ns),
        count_text(group.launches_saved()), mean_duration_text(static_cast<double>(group.saved_ns)),
        share(group.saved_ns));
    if (group.saved_bytes) {
      group.why +=
          fmt::format("; up to {} of {} of DRAM traffic is results that are written and read again",
                      bytes_text(static_cast<std::int64_t>(*group.saved_bytes)),
                      bytes_text(static_cast<std::int64_t>(*group.dram_bytes)));
    }
  }

  void count_bytes(FusionGroup& group) const {
    double bytes = 0;
    double kept = 0;
    for (const std::size_t r : group.runs) {
      double most = 0;
      for (const FusionRow& row : rows_of(plan_.runs[r])) {
        if (!row.dram_bytes) return;
        bytes += *row.dram_bytes;
        most = std::max(most, *row.dram_bytes);
      }
      kept += most;
    }
    group.dram_bytes = bytes;
    group.saved_bytes = bytes - kept;
  }

  FusionRows rows_;
  std::vector<ChainWords> words_;  // by name
  std::int64_t whole_ns_ = 0;
  FusionPlan plan_;
  std::vector<std::size_t> group_of_run_;
  std::vector<Chain> chains_;
};

}  // namespace

bool does_matrix_work(KernelFamily family, std::optional<double> tensor_percent) {
  switch (family) {
    case KernelFamily::kGemm:
    case KernelFamily::kConv:
    case KernelFamily::kAttention:
      return true;
    case KernelFamily::kOther:
      return tensor_percent.value_or(0) >= kMatrixPercent;
    default:  // trust a name that says otherwise, unless the kernel mainly uses the pipe
      return tensor_percent.value_or(0) >= kLeaningPercent;
  }
}

FusionPlan plan_fusions(FusionRows rows, std::span<const std::string_view> details) {
  return Planner(rows, details).plan();
}

}  // namespace strobe::analysis
