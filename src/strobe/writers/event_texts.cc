#include "strobe/writers/event_texts.h"

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

}  // namespace strobe::writers
