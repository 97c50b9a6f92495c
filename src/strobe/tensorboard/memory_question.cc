#include "strobe/tensorboard/memory_question.h"

#include <charconv>
#include <cstdint>

namespace strobe::tensorboard {
namespace {

std::string_view given_or(const Question& question, std::string_view name,
                          std::string_view otherwise) {
  const auto found = question.parameters.find(name);
  return found == question.parameters.end() ? otherwise : std::string_view(found->second);
}

// False if it is given and no whole number.
bool read_ts(const Question& question, std::string_view name, std::optional<Number>& ts) {
  const std::string_view text = given_or(question, name, "");
  if (text.empty()) return true;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  ts = Number::whole(static_cast<double>(value));
  return true;
}

}  // namespace

std::variant<MemoryQuestion, Answer> read_memory_question(const Question& question,
                                                          std::string_view default_memory_unit) {
  MemoryQuestion asked;
  if (!read_ts(question, "start_ts", asked.start_ts) ||
      !read_ts(question, "end_ts", asked.end_ts)) {
    return refused(400, "start_ts and end_ts are whole microseconds");
  }
  const auto time = time_unit(given_or(question, "time_metric", "ms"));
  if (!time) return refused(400, "time_metric is us, ms or s");
  const auto memory = memory_unit(given_or(question, "memory_metric", default_memory_unit));
  if (!memory) return refused(400, "memory_metric is B, KB, MB or GB");
  if (!question.profile.has_memory()) return refused(404, "this trace has no memory events");
  asked.time = *time;
  asked.memory = *memory;
  return asked;
}

}  // namespace strobe::tensorboard
