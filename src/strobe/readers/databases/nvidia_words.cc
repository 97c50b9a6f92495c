#include "strobe/readers/databases/nvidia_words.h"

#include <array>
#include <cstddef>
#include <span>

#include <fmt/format.h>

namespace strobe::readers {
namespace {

constexpr std::string_view kUnknownWord = "Unknown";

// Of a copy, by its kind.
constexpr std::array<std::string_view, 11> kDirections = {
    kUnknownWord, "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 3> kUnifiedDirections = {"HtoD", "DtoH", "DtoD"};

constexpr std::array<std::string_view, 5> kSyncWords = {"Sync", "Event Sync", "Stream Wait Event",
                                                        "Stream Sync", "Context Sync"};

constexpr std::array<std::string_view, 7> kNsysMemory = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};
constexpr std::array<std::string_view, 8> kCuptiMemory = {
    kUnknownWord, "Pageable", "Pinned",        "Device",
    "Array",      "Managed",  "Device Static", "Managed Static"};

std::string_view numbered_word(std::span<const std::string_view> words, std::int64_t number,
                               std::string_view otherwise) {
  return number >= 0 && static_cast<std::uint64_t>(number) < words.size()
             ? words[static_cast<std::size_t>(number)]
             : otherwise;
}

}  // namespace

std::string_view plain_call_name(std::string_view name) {
  const std::size_t version = name.rfind("_v");
  if (version != std::string_view::npos &&
      name.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
    name = name.substr(0, version);
  }
  for (const std::string_view variant : {"_ptsz", "_ptds"}) {
    if (name.ends_with(variant)) name.remove_suffix(variant.size());
  }
  return name;
}

std::string copy_name(std::int64_t kind, std::string_view from, std::string_view to) {
  constexpr auto kKinds = static_cast<std::int64_t>(kDirections.size());
  if (const auto unified = numbered_word(kUnifiedDirections, kind - kKinds, {}); !unified.empty()) {
    return fmt::format("Memcpy {} (Unified)", unified);
  }
  if (kind < 0 || kind >= kKinds) return fmt::format("Memcpy of kind {}", kind);
  return fmt::format("Memcpy {} ({} -> {})", numbered_word(kDirections, kind, kUnknownWord), from,
                     to);
}

std::string memset_name(std::string_view memory) { return fmt::format("Memset ({})", memory); }

std::string_view sync_name(std::int64_t kind) {
  return numbered_word(kSyncWords, kind, kSyncWords[0]);
}

std::string_view nsys_memory_word(std::int64_t kind) {
  return numbered_word(kNsysMemory, kind, kUnknownWord);
}
std::string_view cupti_memory_word(std::int64_t kind) {
  return numbered_word(kCuptiMemory, kind, kUnknownWord);
}

std::string nsys_place(std::int64_t kind, std::int64_t device) {
  const std::string_view word = nsys_memory_word(kind);
  if (word == "Device" || word == "Array" || word == "Device Static") {
    return fmt::format("Place(gpu:{})", device);
  }
  constexpr std::array<std::string_view, 7> kPlaces = {
      "pageable memory", "pinned memory", "", "", "managed memory", "", "managed memory"};
  return std::string(numbered_word(kPlaces, kind, "unknown memory"));
}

}  // namespace strobe::readers
