#include "strobe/analysis/headroom/kernel_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "strobe/analysis/findings/finding.h"
#include "strobe/base/text.h"
#include "strobe/device/gemm_name.h"

namespace strobe::analysis {
namespace {

constexpr double kMatters = 0.10;
constexpr double kWorthALook = 0.02;
constexpr double kWorthAWord = 0.005;  // less is not mentioned
constexpr std::size_t kExampleRows = 8;
constexpr std::size_t kMostPlainChains = 5;

std::string_view doubt_of(ChainEvidence evidence) {
  return evidence == ChainEvidence::kNames ? "" : "what looks like ";
}

std::string how_often(std::size_t times) {
  return times == 1 ? "once" : count_text(times) + " times";
}

std::string launches_text(std::uint64_t launches) {
  return counted(launches, "launch", "launches");
}

// How a kind of chain is called in a sentence, and what helps.
struct ChainAdvice {
  ChainKind kind;
  std::string_view code;
  std::string_view name;
  std::string_view advice;
};

constexpr std::array<ChainAdvice, 9> kChainAdvice = {{
    {ChainKind::kAttentionScores, "fuse_attention", "attention",
     "use a fused attention kernel, which keeps the scores on the chip"},
    {ChainKind::kRotaryEmbedding, "fuse_rotary", "rotary position embedding",
     "use one kernel for the whole chain: compile the model, or use a ready rotary kernel"},
    {ChainKind::kActivation, "fuse_activation", "an activation function written as operators",
     "use the ready activation kernel or, better, the epilogue of the preceding matrix product"},
    {ChainKind::kGatedActivation, "fuse_activation", "a gated activation",
     "do both in one kernel, or in the epilogue of the preceding matrix product"},
    {ChainKind::kResidualNorm, "fuse_residual_norm", "residual adds before a norm",
     "use a norm kernel that adds first, so that the sum is not written and read again"},
    {ChainKind::kNormOperators, "fuse_norm", "a norm written as operators",
     "use the ready norm kernel, or compile the model"},
    {ChainKind::kDropout, "fuse_dropout", "dropout and its neighbours",
     "use a kernel that draws, masks and scales at once, or compile the model"},
    {ChainKind::kOptimizer, "fuse_optimizer", "the optimizer's update",
     "use the fused form of the optimizer: one launch for many tensors"},
    {ChainKind::kPlain, "fuse_chain", "a chain of kernels",
     "replace them by one kernel: compile this part of the model, or write the kernel"},
}};

class Advisor {
 public:
  explicit Advisor(const KernelStudy& study)
      : study_(study),
        table_(*study.table),
        whole_ns_(static_cast<double>(study.totals.latency_ns)),
        is_claimed_(table_.size()) {}

  std::vector<KernelAdvice> advise() {
    if (whole_ns_ <= 0) return {};
    for (const ChainAdvice& chain : kChainAdvice) fuse_chains(chain);
    merge_products();
    small_tiles();
    short_kernels();
    near_the_roof();
    odd_layer();
    std::stable_sort(advice_.begin(), advice_.end(),
                     [](const KernelAdvice& a, const KernelAdvice& b) {
                       const Finding& f = a.finding;
                       const Finding& g = b.finding;
                       return f.weight != g.weight ? f.weight > g.weight : f.share > g.share;
                     });
    return std::move(advice_);
  }

 private:
  double share(double ns) const { return ns / whole_ns_; }
  std::string share_of_time(double ns) const {
    return fmt::format("{} of the time ({})", share_text(share(ns)), mean_duration_text(ns));
  }

  static FindingWeight weight_of(double share) {
    if (share >= kMatters) return FindingWeight::kMatters;
    return share >= kWorthALook ? FindingWeight::kWorthALook : FindingWeight::kNote;
  }

  void add(std::string_view code, double at_stake_ns, std::string headline, std::string advice,
           FindingBasis&& basis) {
    const double at_stake = share(at_stake_ns);
    // Advice without a gain is only a note, however much time it covers.
    const FindingWeight weight = basis.saved_ns > 0 ? weight_of(at_stake) : FindingWeight::kNote;
    advice_.push_back(
        {{std::string(code), weight, at_stake, std::move(headline), std::move(advice)},
         std::move(basis)});
  }

  void claim(std::size_t row, FindingBasis& basis) {
    is_claimed_[row] = true;
    basis.time_ns += table_.durations_ns[row];
    ++basis.launches;
    if (basis.rows.size() < kExampleRows) basis.rows.push_back(row);
  }

  // --- chains ---

  void fuse_chains(const ChainAdvice& chain) {
    std::vector<const FusionGroup*> groups;
    for (const FusionGroup& group : study_.fusion.groups) {
      if (group.chain == chain.kind) groups.push_back(&group);
    }
    if (chain.kind != ChainKind::kPlain) return fuse(chain, groups);
    if (groups.size() > kMostPlainChains) groups.resize(kMostPlainChains);
    for (const FusionGroup* group : groups) fuse(chain, {group});
  }

  void fuse(const ChainAdvice& chain, const std::vector<const FusionGroup*>& groups) {
    FindingBasis basis;
    std::size_t chains = 0;
    std::size_t least = 0;
    std::size_t most = 0;
    std::int64_t inside_ns = 0;
    ChainEvidence evidence = ChainEvidence::kNames;
    std::vector<std::size_t> rows;
    for (const FusionGroup* group : groups) {
      chains += group->runs.size();
      least = least == 0 ? group->names.size() : std::min(least, group->names.size());
      most = std::max(most, group->names.size());
      inside_ns += group->latency_ns;
      basis.saved_ns += static_cast<double>(group->saved_ns);
      evidence = std::min(evidence, group->evidence);
      for (const std::size_t r : group->runs) add_rows(chain.kind, study_.fusion.runs[r], rows);
    }
    if (share(basis.saved_ns) < kWorthAWord) return;
    for (const std::size_t row : rows) claim(row, basis);
    basis.confidence = chain.kind == ChainKind::kPlain ? "counted" : word_of(evidence);

    const auto time = static_cast<double>(basis.time_ns);
    const std::string size =
        least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
    const std::string times = how_often(chains);
    std::string headline;
    if (chain.kind == ChainKind::kAttentionScores) {
      headline = fmt::format(
          "{} goes into {}{}: {}, {} kernels (softmax among them) run between two matrix products; "
          "these kernels take {}",
          share_of_time(time), doubt_of(evidence), chain.name, times, size,
          mean_duration_text(static_cast<double>(inside_ns)));
    } else if (chain.kind == ChainKind::kPlain) {
      headline = fmt::format("{} in a row, {}, take {}, up to {} saved as one kernel",
                             groups.front()->what, times, share_of_time(time),
                             mean_duration_text(basis.saved_ns));
    } else {
      headline = fmt::format("{} goes into {}{}: {} {} kernels in a row, up to {} saved as one",
                             share_of_time(time), doubt_of(evidence), chain.name, times, size,
                             mean_duration_text(basis.saved_ns));
    }
    add(chain.code, time, std::move(headline), std::string(chain.advice), std::move(basis));
  }

  static void add_rows(ChainKind kind, const FusionRun& run, std::vector<std::size_t>& rows) {
    const bool with_products = kind == ChainKind::kAttentionScores;
    if (with_products && run.follows_matrix) rows.push_back(run.first_row - 1);
    for (std::size_t i = 0; i < run.rows; ++i) rows.push_back(run.first_row + i);
    if (with_products && run.precedes_matrix) rows.push_back(run.first_row + run.rows);
  }

  // --- matrix products ---

  bool is_free_product(std::size_t row) const {
    return !is_claimed_[row] && study_.identity(row).family == device::KernelFamily::kGemm;
  }

  bool is_idle_product(std::size_t row) const {
    const std::optional<double> percent = study_.sample(row).tensor_percent;
    return is_free_product(row) && percent && *percent < kBoundPercent;
  }

  bool is_same_launch(std::size_t a, std::size_t b) const {
    const auto same = [&](const auto& column) { return column.empty() || column[a] == column[b]; };
    return study_.identity(a).alike == study_.identity(b).alike && same(table_.grids) &&
           same(table_.blocks) && same(table_.streams) && same(table_.device_indices);
  }

  // Rows of equal products that follow each other: what could be one product of stacked weights.
  struct Stack {
    std::vector<std::size_t> rows;
    std::size_t times = 0;
    std::size_t height = 0;
  };

  void merge_products() {
    std::map<std::pair<std::uint32_t, std::size_t>, Stack> stacks;
    for (std::size_t begin = 0; begin < table_.size();) {
      std::size_t end = begin + 1;
      if (is_idle_product(begin)) {
        while (end < table_.size() && is_idle_product(end) && is_same_launch(begin, end)) ++end;
      }
      if (const std::size_t height = end - begin; height >= 2) {
        Stack& stack = stacks[{study_.identity(begin).alike, height}];
        stack.height = height;
        ++stack.times;
        for (std::size_t row = begin; row < end; ++row) stack.rows.push_back(row);
      }
      begin = end;
    }
    if (stacks.empty()) return;
    sums_by_name_.resize(study_.identities.size());
    for (std::size_t row = 0; row < table_.size(); ++row) {
      sums_by_name_[study_.identity(row).alike].add(study_.sample(row));
    }
    for (const auto& [key, stack] : stacks) merge(key.first, stack);
  }

  double headroom_of(const std::vector<std::size_t>& rows) const {
    double ns = 0;
    for (const std::size_t row : rows) ns += headroom_ns(study_.sample(row)).value_or(0);
    return ns;
  }

  void merge(std::uint32_t name, const Stack& stack) {
    constexpr std::size_t kMostByName = 3;
    FindingBasis basis;
    basis.saved_ns = headroom_of(stack.rows);
    if (share(basis.saved_ns) < 2 * kWorthAWord) return;
    KernelSums sums;
    for (const std::size_t row : stack.rows) {
      sums.add(study_.sample(row));
      claim(row, basis);
    }
    basis.confidence = word_of(ChainEvidence::kStructure);
    const KernelSums& everywhere = sums_by_name_[name];
    std::string headline = fmt::format(
        "{} equal matrix products in a row, {}, keep the matrix pipe {} busy: headroom {}",
        stack.height, how_often(stack.times), share_text(*sums.tensor_percent() / 100),
        share_of_time(basis.saved_ns));
    if (everywhere.launches > sums.launches) {
      headline += fmt::format(", {} with all {} launches of this kernel",
                              share_text(everywhere.headroom_share_of(study_.totals).value_or(0)),
                              count_text(everywhere.launches));
    }
    const double at_stake_ns = basis.saved_ns;
    add("merge_products", at_stake_ns, std::move(headline),
        stack.height <= kMostByName
            ? "merge them into one product over stacked weights, as q, k and v of attention allow: "
              "larger tiles keep the pipe busier"
            : "do them as one batched or grouped product",
        std::move(basis));
  }

  // Matrix products that no advice above has claimed, by name.
  void small_tiles() {
    constexpr int kLargeTile = 128 * 128;
    std::map<std::uint32_t, std::vector<std::size_t>> products;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      const KernelBound bound = study_.launches[row].bound;
      const bool has_room =
          bound == KernelBound::kTensorLeaning || bound == KernelBound::kLatencyBound;
      if (has_room && is_idle_product(row)) products[study_.identity(row).alike].push_back(row);
    }
    for (const auto& [name, rows] : products) {
      const std::optional<device::GemmName> gemm = device::gemm_name(study_.identities[name].full);
      if (!gemm || gemm->tile_m <= 0 || gemm->tile_n <= 0) continue;
      if (gemm->tile_m * gemm->tile_n > kLargeTile) continue;
      FindingBasis basis;
      basis.saved_ns = headroom_of(rows);
      if (share(basis.saved_ns) < 2 * kWorthAWord) continue;
      KernelSums sums;
      for (const std::size_t row : rows) {
        sums.add(study_.sample(row));
        claim(row, basis);
      }
      basis.confidence = "counted";
      const double at_stake_ns = basis.saved_ns;
      add("small_tiles", at_stake_ns,
          fmt::format("{} with tiles of {}x{} {} the matrix pipe {} busy: headroom {}",
                      counted(sums.launches, "matrix product"), gemm->tile_m, gemm->tile_n,
                      plural(sums.launches, "keeps", "keep"),
                      share_text(*sums.tensor_percent() / 100), share_of_time(at_stake_ns)),
          "use larger tiles, which reuse more data: raise the batch size, or let the library "
          "search for "
          "another kernel",
          std::move(basis));
    }
  }

  // --- the rest ---

  // Kernels that no chain and no product above has claimed.
  void short_kernels() {
    FindingBasis basis;
    KernelSums few;
    std::size_t longest = 0;
    std::size_t longest_at = 0;
    std::size_t length = 0;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      const bool is_short = study_.launches[row].is_short;
      length = is_short ? length + 1 : 0;
      if (length > longest) {
        longest = length;
        longest_at = row + 1 - length;
      }
      if (!is_short || is_claimed_[row]) continue;
      few.add(study_.sample(row));
      claim(row, basis);
    }
    if (few.share_of(study_.totals) < kWorthALook) return;
    basis.saved_ns = few.headroom_ns().value_or(static_cast<double>(few.latency_ns));
    basis.confidence = "counted";
    add("short_kernels", static_cast<double>(few.latency_ns),
        fmt::format(
            "{} goes into {} shorter than 10 us, without those named above: starting them "
            "costs as much as their work; the longest run of short kernels has {}, starting at "
            "row {}",
            share_of_time(static_cast<double>(few.latency_ns)), launches_text(few.launches),
            longest, longest_at),
        "fuse them into their neighbours, and capture the rest in a graph", std::move(basis));
  }

  void near_the_roof() {
    constexpr double kNear = 0.9;  // of what is achievable
    FindingBasis basis;
    KernelSums sums;
    for (std::size_t row = 0; row < table_.size(); ++row) {
      const KernelSample sample = study_.sample(row);
      if (sample.dram_percent.value_or(0) < 100 * kNear * study_.options.roofs.dram) continue;
      sums.add(sample);
      if (basis.rows.size() < kExampleRows) basis.rows.push_back(row);
    }
    const double of_time = sums.share_of(study_.totals);
    if (of_time < kWorthALook) return;
    basis.time_ns = sums.latency_ns;
    basis.launches = sums.launches;
    basis.confidence = "counted";
    add("at_dram_roof", static_cast<double>(sums.latency_ns),
        fmt::format("{} at {} of the DRAM rate, {}: they cannot run faster",
                    launches_text(sums.launches), share_text(*sums.dram_percent() / 100),
                    share_of_time(static_cast<double>(sums.latency_ns))),
        "move fewer bytes: fuse them with neighbours or use smaller types; otherwise leave them",
        std::move(basis));
  }

  void odd_layer() {
    constexpr double kMuchLonger = 1.05;
    if (!study_.layers || study_.layers->odd_layers.empty()) return;
    const KernelLayers& layers = *study_.layers;
    std::vector<std::int64_t> sorted = layers.layer_ns;
    std::sort(sorted.begin(), sorted.end());
    const auto median = static_cast<double>(sorted[sorted.size() / 2]);
    FindingBasis basis;
    std::size_t worst = 0;
    std::size_t slow = 0;
    for (const std::size_t layer : layers.odd_layers) {
      const auto ns = static_cast<double>(layers.layer_ns[layer]);
      if (ns < kMuchLonger * median) continue;
      basis.saved_ns += ns - median;
      basis.time_ns += layers.layer_ns[layer];
      basis.launches += layers.rows_per_layer;
      if (slow++ == 0 || layers.layer_ns[layer] > layers.layer_ns[worst]) worst = layer;
      if (basis.rows.size() < kExampleRows) basis.rows.push_back(layers.first_row_of(layer));
    }
    if (share(basis.saved_ns) < kWorthAWord) return;
    basis.confidence = "counted";
    const double at_stake_ns = basis.saved_ns;
    add("odd_layers", at_stake_ns,
        fmt::format(
            "{} of {} layers take longer than the others, {} in all; layer {} takes {}, the "
            "median {}",
            slow, layers.layers, share_of_time(at_stake_ns), worst,
            mean_duration_text(static_cast<double>(layers.layer_ns[worst])),
            mean_duration_text(median)),
        "the same kernels should take the same time: look for a changed clock or shape",
        std::move(basis));
  }

  const KernelStudy& study_;
  const KernelTable& table_;
  double whole_ns_ = 0;
  std::vector<bool> is_claimed_;
  std::vector<KernelSums> sums_by_name_;  // all launches, by KernelIdentity::alike
  std::vector<KernelAdvice> advice_;
};

}  // namespace

std::vector<KernelAdvice> advise(const KernelStudy& study) { return Advisor(study).advise(); }

}  // namespace strobe::analysis
