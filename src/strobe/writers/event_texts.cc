#include "strobe/writers/event_texts.h"

#include <algorithm>

#include "strobe/base/json_write.h"

namespace strobe::writers {

EscapedTexts::State EscapedTexts::look_at(StringId id) {
  std::string json;
  append_json_string((*strings_)[id], json);
  const std::string_view text = std::string_view(json).substr(1, json.size() - 2);
  if (text == (*strings_)[id]) return State::kPlain;
  escaped_.emplace(id, text);
  return State::kEscaped;
}

void ArgumentTexts::find_block(ArgsId id) {
  const auto blocks = store_->blocks();
  const auto next = std::ranges::upper_bound(blocks, id.value, {}, &ArgsStore::Block::first);
  block_ = static_cast<std::size_t>(next - blocks.begin()) - 1;
  first_ = blocks[block_].first;
  end_ = next != blocks.end() ? next->first : static_cast<std::uint32_t>(store_->size());
}

}  // namespace strobe::writers
