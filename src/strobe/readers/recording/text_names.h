#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"

namespace strobe::readers {

inline constexpr std::string_view kLostName = "(lost name)";

// A value for each text of each segment, made when it is first asked for: names, and what they say
// about a slice.
template <class Value>
class ByText {
  struct Entry {
    Value value = {};
    bool is_made = false;
  };

 public:
  explicit ByText(const RecordedFile& file) : file_(file), values_(file.segments().size()) {}

  // The values of one segment.
  class InSegment {
   public:
    // `make` gets the text, or kLostName if that was lost with its chunk.
    template <class Make>
    const Value& find(std::uint64_t number, TraceSink& sink, Make make) {
      Entry& entry = values_[std::min<std::uint64_t>(number, values_.size() - 1)];
      if (!entry.is_made) [[unlikely]] {
        const std::optional<std::string_view> text = segment_.text(number);
        if (!text) sink.report.add_many(ImportIssue::kLostName, 1);
        entry = {make(text.value_or(kLostName)), true};
      }
      return entry.value;
    }

   private:
    friend class ByText;
    InSegment(const RecordedSegment& segment, auto& values) : segment_(segment), values_(values) {}

    const RecordedSegment& segment_;
    std::vector<Entry>& values_;
  };

  InSegment in(std::uint32_t segment) {
    const RecordedSegment& from = file_.segments()[segment];
    if (values_[segment].empty()) {
      values_[segment].resize(from.texts.size() + 1);  // the last one: lost
    }
    return InSegment(from, values_[segment]);
  }

 private:
  const RecordedFile& file_;
  std::vector<std::vector<Entry>> values_;
};

}  // namespace strobe::readers
