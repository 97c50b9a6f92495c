#include "strobe/record/inject/activity/nvtx_names.h"

#include <cstring>
#include <cwchar>
#include <new>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "strobe/record/inject/activity/shape_table.h"

namespace strobe::record {
namespace {

constexpr std::uint64_t kSeedOfWide = 77;

std::uint64_t hash_of_torch_name(const TorchName& name) noexcept {
  const std::uint64_t hash = XXH3_64bits_withSeed(name.name.data(), name.name.size(),
                                                  static_cast<std::uint64_t>(name.number));
  if (name.sizes.empty()) return hash;
  return XXH3_64bits_withSeed(name.sizes.data(), name.sizes.size(), hash);
}

}  // namespace

NvtxText::NvtxText(const NvtxMessage& message, bool has_place_for_number) noexcept {
  if (message.kind == NvtxMessage::Kind::kWide && message.value != nullptr) {
    const auto* text = static_cast<const wchar_t*>(message.value);
    wide = {text, wcsnlen(text, kMostNameBytes / sizeof(wchar_t))};
    hash = XXH3_64bits_withSeed(wide.data(), wide.size() * sizeof(wchar_t), kSeedOfWide);
    return;
  }
  if (message.kind == NvtxMessage::Kind::kText && message.value != nullptr) {
    const auto* text = static_cast<const char*>(message.value);
    const std::string_view whole(text, strnlen(text, kMostNameBytes));
    if (has_place_for_number) {
      torch = split_torch_name(whole);
    } else {
      torch.name = whole;
    }
  }
  hash = hash_of_torch_name(torch);
}

std::string NvtxText::copy() const noexcept {
  return wide.empty() ? clean_utf8(text_of(torch)) : utf8_of(wide.data(), wide.size());
}

NvtxNames::NvtxNames() noexcept {
  const NvtxText none{NvtxMessage{}};
  by_hash_.emplace(none.hash, add({}));
}

NvtxNames::~NvtxNames() {
  for (const std::atomic<Entry*>& block : blocks_) delete[] block.load(std::memory_order_relaxed);
}

NvtxNames::Number NvtxNames::of(const NvtxMessage& message) noexcept {
  if (message.kind != NvtxMessage::Kind::kRegistered) return of(NvtxText(message));
  const auto handle = reinterpret_cast<std::uintptr_t>(message.value);
  const bool is_known = handle < kBlocks * kBlock && has(static_cast<Number>(handle));
  return is_known ? static_cast<Number>(handle) : kNoName;
}

NvtxNames::Number NvtxNames::of(const NvtxText& text) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = by_hash_.find(text.hash);
  if (known != by_hash_.end()) return known->second;
  const bool has_room = count_.load(std::memory_order_relaxed) < kMostNames;
  // Merged names are not remembered one by one: that would take the memory that merging saves.
  if (!has_room) return merge(text.copy());
  const Number name = add(text.copy());
  by_hash_.emplace(text.hash, name);
  return name;
}

NvtxNames::Number NvtxNames::merge(std::string_view text) noexcept {
  is_crowded_.store(true, std::memory_order_relaxed);
  const std::string merged = without_numbers(text);
  const std::uint64_t hash = NvtxText(NvtxMessage::text(merged.c_str())).hash;
  const auto known = by_hash_.find(hash);
  if (known != by_hash_.end()) return known->second;
  const Number count = count_.load(std::memory_order_relaxed);
  if (count > kOtherNames) return kOtherNames;
  const Number name = add(count == kOtherNames ? "(other names)" : merged);
  if (name != kOtherNames) by_hash_.emplace(hash, name);
  return name;
}

NvtxNames::Number NvtxNames::add(std::string text) noexcept {
  const Number name = count_.load(std::memory_order_relaxed);
  std::atomic<Entry*>& block = blocks_[name / kBlock];
  if (block.load(std::memory_order_relaxed) == nullptr) {
    block.store(new Entry[kBlock], std::memory_order_release);
  }
  entry(name).text = is_redacting_ && !text.empty() ? redacted_name(text) : std::move(text);
  count_.store(name + 1, std::memory_order_release);
  return name;
}

}  // namespace strobe::record
