#include "tests/support/textproto.h"

#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/protobuf_sketch.h"

namespace strobe::test {
namespace {

struct FieldKind {
  std::uint32_t number;
  const char* message;  // of a message; nullptr for numbers and texts
};

using Fields = std::map<std::string, FieldKind>;

const std::map<std::string, Fields>& schema() {
  static const Fields interned_text = {{"iid", {1, nullptr}}, {"name", {2, nullptr}}};
  static const std::map<std::string, Fields> messages = {
      {"trace", {{"packet", {1, "packet"}}}},
      {"packet",
       {{"trusted_uid", {3, nullptr}},
        {"timestamp", {8, nullptr}},
        {"trusted_packet_sequence_id", {10, nullptr}},
        {"track_event", {11, "track_event"}},
        {"interned_data", {12, "interned_data"}},
        {"sequence_flags", {13, nullptr}},
        {"gpu_counter_event", {52, "gpu_counter_event"}},
        {"gpu_render_stage_event", {53, "stage"}}}},
      {"interned_data",
       {{"event_categories", {1, "interned_text"}},
        {"event_names", {2, "interned_text"}},
        {"graphics_contexts", {23, "context"}},
        {"gpu_specifications", {24, "spec"}},
        {"[perfetto.protos.GpuInternedData.compute_kernels]", {1000, "kernel"}},
        {"[perfetto.protos.GpuInternedData.compute_arg_names]", {1001, "interned_text"}}}},
      {"interned_text", interned_text},
      {"context", {{"iid", {1, nullptr}}, {"pid", {2, nullptr}}, {"api", {3, nullptr}}}},
      {"spec",
       {{"iid", {1, nullptr}},
        {"name", {2, nullptr}},
        {"description", {3, nullptr}},
        {"category", {4, nullptr}}}},
      {"kernel",
       {{"iid", {1, nullptr}},
        {"name", {2, nullptr}},
        {"demangled_name", {3, nullptr}},
        {"arch", {4, nullptr}},
        {"args", {5, "launch_arg"}}}},
      {"track_event",
       {{"category_iids", {3, nullptr}},
        {"type", {9, nullptr}},
        {"name_iid", {10, nullptr}},
        {"[perfetto.protos.GpuTrackEvent.gpu_correlation]", {3000, "correlation"}},
        {"[perfetto.protos.GpuTrackEvent.gpu_api]", {3001, nullptr}}}},
      {"correlation",
       {{"render_stage_submission_event_ids", {1, nullptr}},
        {"render_stage_wait_event_ids", {2, nullptr}}}},
      {"stage",
       {{"event_id", {1, nullptr}},
        {"duration", {2, nullptr}},
        {"context", {5, nullptr}},
        {"submission_id", {10, nullptr}},
        {"hw_queue_iid", {13, nullptr}},
        {"stage_iid", {14, nullptr}},
        {"event_wait_ids", {18, nullptr}},
        {"kernel_iid", {19, nullptr}},
        {"name_iid", {20, nullptr}},
        {"launch", {21, "launch"}}}},
      {"launch",
       {{"grid_size", {1, "sides"}},
        {"workgroup_size", {2, "sides"}},
        {"args", {3, "launch_arg"}}}},
      {"sides", {{"x", {1, nullptr}}, {"y", {2, nullptr}}, {"z", {3, nullptr}}}},
      {"launch_arg",
       {{"name_iid", {1, nullptr}}, {"name", {2, nullptr}}, {"uint_value", {4, nullptr}}}},
      {"gpu_counter_event", {{"counter_descriptor", {1, "descriptor"}}, {"gpu_id", {3, nullptr}}}},
      {"descriptor", {{"specs", {1, "counter_spec"}}}},
      {"counter_spec",
       {{"counter_id", {1, nullptr}},
        {"name", {2, nullptr}},
        {"description", {3, nullptr}},
        {"numerator_units", {7, nullptr}},
        {"denominator_units", {8, nullptr}},
        {"groups", {10, nullptr}}}},
  };
  return messages;
}

const std::map<std::string, std::uint64_t>& words() {
  static const std::map<std::string, std::uint64_t> numbers = {
      {"TYPE_SLICE_BEGIN", 1}, {"TYPE_SLICE_END", 2}, {"GPU_API_VULKAN", 2}, {"GPU_API_CUDA", 4},
      {"VULKAN", 2},           {"CUDA", 4},           {"GRAPHICS", 1},       {"COMPUTE", 2},
      {"SECOND", 22},          {"MILLISECOND", 21},   {"VERTEX", 25},        {"PIXEL", 26},
      {"TRIANGLE", 27},        {"FRAGMENT", 39},      {"VERTICES", 2},       {"FRAGMENTS", 3},
      {"PRIMITIVES", 4}};
  return numbers;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Message message(const std::string& kind) {
    Message result;
    const Fields& fields = schema().at(kind);
    for (std::string key = word(); !key.empty() && key != "}"; key = word()) {
      const auto field = fields.find(key);
      if (field == fields.end()) {
        ADD_FAILURE() << "no field " << key << " in " << kind;
        return result;
      }
      skip_blanks();
      if (peek() == ':') ++at_;
      skip_blanks();
      if (peek() == '{') {
        ++at_;
        result.message(field->second.number, message(field->second.message));
      } else if (peek() == '"') {
        result.text(field->second.number, quoted());
      } else {
        result.number(field->second.number, number(word()));
      }
    }
    return result;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size() - 1);
      if (std::isspace(static_cast<unsigned char>(peek())) == 0 && peek() != ',') return;
    }
  }

  std::string word() {
    skip_blanks();
    std::string result;
    if (peek() == '}') {
      ++at_;
      return "}";
    }
    while (at_ < text_.size() && std::string_view(" \t\n:{},#").find(peek()) == std::string::npos) {
      result += text_[at_++];
    }
    return result;
  }

  std::string quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  static std::uint64_t number(const std::string& text) {
    const auto known = words().find(text);
    if (known != words().end()) return known->second;
    EXPECT_TRUE(!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) << text;
    return std::strtoull(text.c_str(), nullptr, 10);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string perfetto_from_text(std::string_view text) {
  return Parser(text).message("trace").bytes();
}

}  // namespace strobe::test
