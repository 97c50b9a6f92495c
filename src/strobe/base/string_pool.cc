#include "strobe/base/string_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace strobe {
namespace {

constexpr std::size_t kFirstSlots = 1024;
constexpr std::size_t kPoolBlockBytes = 64 * 1024;

// Mixes 8 bytes per step. Kernel names share long prefixes and differ in the middle, so every byte
// is used.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  const char* bytes = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = left * kMultiplier;
  while (left >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
    bytes += 8;
    left -= 8;
  }
  std::uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, bytes, left);
  hash = (hash ^ tail) * kMultiplier;
  hash ^= hash >> 29;
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

StringPool::StringPool() : slots_(kFirstSlots) {}

std::optional<StringPool> StringPool::restore(std::vector<std::string_view> texts,
                                              std::vector<Slot> slots) {
  if (!std::has_single_bit(slots.size()) || slots.size() / 2 < texts.size()) return std::nullopt;
  std::size_t used = 0;
  std::size_t lost = 0;
  for (const Slot& slot : slots) {
    used += slot.id != StringId::kNone;
    lost += slot.id != StringId::kNone && slot.id >= texts.size();
  }
  if (used != texts.size() || lost > 0) return std::nullopt;
  StringPool pool;
  pool.slots_ = std::move(slots);
  pool.texts_ = std::move(texts);
  return pool;
}

std::size_t StringPool::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot].id != StringId::kNone &&
         (slots_[slot].hash != hash || texts_[slots_[slot].id] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

StringId StringPool::find(std::string_view text) const {
  const Slot& slot = slots_[slot_of(text, hash_of(text))];
  return slot.id == StringId::kNone ? StringId() : StringId(slot.id);
}

StringId StringPool::intern(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  std::size_t slot = slot_of(text, hash);
  if (slots_[slot].id != StringId::kNone) return StringId(slots_[slot].id);
  if (2 * (texts_.size() + 1) > slots_.size()) {
    grow();
    slot = slot_of(text, hash);
  }
  const StringId id(texts_.size());
  slots_[slot] = {hash, id.value};
  texts_.push_back(store(text));
  return id;
}

void StringPool::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& entry : old) {
    if (entry.id == StringId::kNone) continue;
    std::size_t slot = entry.hash & mask;
    while (slots_[slot].id != StringId::kNone) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

std::string_view StringPool::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_left_) {
    const std::size_t bytes = std::max(kPoolBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(bytes));
    block_next_ = blocks_.back().get();
    block_left_ = bytes;
    block_bytes_ += bytes;
  }
  std::memcpy(block_next_, text.data(), text.size());
  const std::string_view stored(block_next_, text.size());
  block_next_ += text.size();
  block_left_ -= text.size();
  return stored;
}

std::size_t StringPool::bytes() const {
  return block_bytes_ + slots_.size() * sizeof(Slot) + texts_.size() * sizeof(std::string_view);
}

}  // namespace strobe
