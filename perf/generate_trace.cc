// Makes a large trace from a real one: repeats its events byte for byte, except that every
// repetition has later times (ts) and its own ids (correlation, External id, Sequence number, flow
// ids). One repetition without --minify gives the input back unchanged.
//
//   strobe_generate IN.json OUT.json (--times N | --bytes N) [--every N] [--minify]
//
// --bytes stops after the event that reaches the size. --every keeps each Nth event only, which
// makes a smaller trace of the same mixture.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/contest.h"

namespace strobe::perf {
namespace {

enum class NumberKind : std::uint8_t { kTime, kCorrelation, kExternal, kSequence, kFlow };
constexpr std::size_t kNumberKinds = 5;

// The digits (of a time: those before the point) that change from one repetition to the next.
struct Slot {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t value = 0;
  NumberKind kind = NumberKind::kTime;
};

// The position of one event's text and the slots inside it.
struct EventText {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t first_slot = 0;
};

struct Plan {
  std::string text;
  std::size_t last_event_end = 0;
  std::string seam = ",";  // between two events
  std::vector<EventText> events;
  std::vector<Slot> slots;
  std::array<std::int64_t, kNumberKinds> strides = {};  // added per repetition
};

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "strobe_generate: %s\n", why);
  std::exit(3);
}

std::string without_blanks(const std::string& text) {
  std::string minified;
  minified.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\' && i + 1 < text.size()) {
      minified += c;
      minified += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (in_string || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) minified += c;
  }
  return minified;
}

std::optional<NumberKind> number_kind(std::string_view key, int depth) {
  if (depth == 1) {
    if (key == "ts") return NumberKind::kTime;
    if (key == "id") return NumberKind::kFlow;
  } else if (depth == 2) {
    if (key == "correlation") return NumberKind::kCorrelation;
    if (key == "External id" || key == "external id") return NumberKind::kExternal;
    if (key == "Sequence number") return NumberKind::kSequence;
  }
  return std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Walks over the event array once and notes events and slots.
class Planner {
 public:
  explicit Planner(Plan& plan) : plan_(plan), text_(plan.text) {}

  void run() {
    const std::size_t key = text_.find("\"traceEvents\"");
    if (key == std::string_view::npos) fail("the input has no traceEvents");
    at_ = text_.find('[', key);
    if (at_ == std::string_view::npos) fail("traceEvents is not an array");
    ++at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        string(depth);
      } else if (c == '{' || c == '[') {
        if (depth++ == 0) plan_.events.push_back({at_, 0, plan_.slots.size()});
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;
        if (--depth == 0) plan_.events.back().end = at_ + 1;
      }
    }
    if (at_ >= text_.size() || plan_.events.empty()) fail("the event array is empty or not closed");
    plan_.last_event_end = plan_.events.back().end;
    if (plan_.events.size() > 1) {
      const std::size_t end = plan_.events[0].end;
      plan_.seam = text_.substr(end, plan_.events[1].begin - end);
    }
    find_strides();
  }

 private:
  // At an opening quote: leaves at_ on the last byte of the string, or of the number after a key.
  void string(int depth) {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const auto kind = number_kind(text_.substr(begin, at_ - begin), depth);
    if (!kind) return;
    std::size_t digits = at_ + 1;
    while (digits < text_.size() && text_[digits] == ' ') ++digits;
    if (digits >= text_.size() || text_[digits] != ':') return;
    ++digits;
    while (digits < text_.size() && text_[digits] == ' ') ++digits;
    Slot slot{digits, digits, 0, *kind};
    while (slot.end < text_.size() && is_digit(text_[slot.end])) {
      slot.value = slot.value * 10 + (text_[slot.end++] - '0');
    }
    if (slot.end == slot.begin) return;
    plan_.slots.push_back(slot);
    at_ = slot.end - 1;
  }

  void find_strides() {
    std::array<std::int64_t, kNumberKinds> most = {};
    std::int64_t first_us = INT64_MAX;
    for (const Slot& slot : plan_.slots) {
      auto& top = most[static_cast<std::size_t>(slot.kind)];
      top = std::max(top, slot.value);
      if (slot.kind == NumberKind::kTime) first_us = std::min(first_us, slot.value);
    }
    for (std::size_t kind = 0; kind < kNumberKinds; ++kind) plan_.strides[kind] = most[kind] + 1;
    // Flows of launches have the correlation of the launch.
    const auto stride = std::max(most[static_cast<std::size_t>(NumberKind::kCorrelation)],
                                 most[static_cast<std::size_t>(NumberKind::kFlow)]) +
                        1;
    plan_.strides[static_cast<std::size_t>(NumberKind::kCorrelation)] = stride;
    plan_.strides[static_cast<std::size_t>(NumberKind::kFlow)] = stride;
    // The next repetition begins a millisecond after the last start of this one.
    auto& time = plan_.strides[static_cast<std::size_t>(NumberKind::kTime)];
    time = first_us == INT64_MAX ? 0 : time - first_us + 1000;
  }

  Plan& plan_;
  std::string_view text_;
  std::size_t at_ = 0;
};

class Writer {
 public:
  explicit Writer(const char* path) : file_(std::fopen(path, "wb")) {
    if (file_ == nullptr) {
      std::perror(path);
      std::exit(3);
    }
    buffer_.reserve(kBufferBytes + 4096);
  }
  ~Writer() {
    flush();
    if (std::fclose(file_) != 0) fail("the output could not be written");
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  std::uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 20;

  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
      fail("the output could not be written");
    }
    written_ += buffer_.size();
    buffer_.clear();
  }

  std::FILE* file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

void write_event(const Plan& plan, std::size_t event, std::int64_t repetition, Writer& out) {
  const std::string_view text = plan.text;
  const EventText& where = plan.events[event];
  std::size_t from = where.begin;
  if (repetition > 0) {
    for (std::size_t i = where.first_slot; i < plan.slots.size(); ++i) {
      const Slot& slot = plan.slots[i];
      if (slot.begin >= where.end) break;
      out.add(text.substr(from, slot.begin - from));
      out.add(std::to_string(slot.value +
                             repetition * plan.strides[static_cast<std::size_t>(slot.kind)]));
      from = slot.end;
    }
  }
  out.add(text.substr(from, where.end - from));
}

void keep_every(Plan& plan, std::size_t nth) {
  std::vector<EventText> kept;
  for (std::size_t i = 0; i < plan.events.size(); i += nth) kept.push_back(plan.events[i]);
  plan.events = std::move(kept);
}

void write(const Plan& plan, std::int64_t times, std::uint64_t bytes, Writer& out) {
  const std::string_view text = plan.text;
  const std::string_view tail = text.substr(plan.last_event_end);
  out.add(text.substr(0, plan.events.front().begin));
  for (std::int64_t repetition = 0; repetition < times; ++repetition) {
    for (std::size_t event = 0; event < plan.events.size(); ++event) {
      if (event > 0 || repetition > 0) out.add(plan.seam);
      write_event(plan, event, repetition, out);
      if (out.bytes() + tail.size() >= bytes) {
        out.add(tail);
        return;
      }
    }
  }
  out.add(tail);
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  using namespace strobe::perf;
  std::vector<const char*> paths;
  std::int64_t times = INT64_MAX;
  std::uint64_t bytes = UINT64_MAX;
  std::size_t nth = 1;
  bool minify = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--minify") {
      minify = true;
    } else if (flag == "--times" && i + 1 < argc) {
      times = std::atoll(argv[++i]);
    } else if (flag == "--bytes" && i + 1 < argc) {
      bytes = std::strtoull(argv[++i], nullptr, 10);
    } else if (flag == "--every" && i + 1 < argc) {
      nth = std::max<std::size_t>(1, std::strtoull(argv[++i], nullptr, 10));
    } else {
      paths.push_back(argv[i]);
    }
  }
  if (paths.size() != 2 || times < 1 || (times == INT64_MAX && bytes == UINT64_MAX)) {
    std::fprintf(stderr,
                 "usage: strobe_generate IN.json OUT.json (--times N | --bytes N) [--every N] "
                 "[--minify]\n");
    return 2;
  }
  Plan plan;
  plan.text = read_whole_file(paths[0]);
  if (minify) plan.text = without_blanks(plan.text);
  Planner(plan).run();
  if (nth > 1) keep_every(plan, nth);
  Writer out(paths[1]);
  write(plan, times, bytes, out);
  return 0;
}
