#include "strobe/readers/layout_loops.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "strobe/base/simd.h"
#include "strobe/readers/event_scanner.h"
#include "tests/support/watched.h"

namespace strobe::readers {
namespace {

// A text that ends where its memory ends, but for the padding.
class ExactText {
 public:
  explicit ExactText(const std::string& text)
      : size_(text.size()), bytes_(std::make_unique<char[]>(size_ + simd::kSimdPadding)) {
    std::memcpy(bytes_.get(), text.data(), size_);
  }
  const char* begin() const { return bytes_.get(); }
  const char* end() const { return bytes_.get() + size_; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

// What a scanner says of the event at the front of a text.
std::string scanned(EventScanner& scanner, const std::string& text) {
  const ExactText exact(text);
  const char* p = exact.begin();
  RawEvent e;
  const ScanResult result = scanner.scan(p, exact.end(), e);
  if (result != ScanResult::kEvent) return std::to_string(static_cast<int>(result));
  std::string said = std::to_string(p - exact.begin()) + e.phase;
  for (const RawScalar* s : {&e.name, &e.category, &e.process, &e.thread, &e.id}) {
    said += "|" + std::to_string(static_cast<int>(s->type)) + (s->escaped ? "!" : ":") +
            std::string(s->text);
  }
  for (const std::int64_t number :
       {e.time_ns, e.duration_ns, std::int64_t{e.correlation}, std::int64_t{e.external},
        std::int64_t{e.device}, e.sequence_number, e.forward_thread, e.relative_start_ns,
        e.relative_end_ns, std::int64_t{e.has_bad_time}, std::int64_t{e.has_wide_id}}) {
    said += "|" + std::to_string(number);
  }
  return said + "|" + std::string(e.args);
}

// Events of a few layouts, with values of the forms that writers print and of many that they should
// not.
class RandomEvents {
 public:
  explicit RandomEvents(unsigned seed) : random_(seed) {}

  std::string event() {
    switch (below(5)) {
      case 0:
        return "{\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": " + string() +
               ", \"pid\": 589, \"tid\": 589,\n    \"ts\": " + time() + ", \"dur\": " + time() +
               ",\n    \"args\": {\n      \"External id\": " + integer() +
               ",\"Record function id\": " + integer() + ", \"Sequence number\": " + integer() +
               ", \"Fwd thread id\": " + integer() + "\n    }\n  }";
      case 1:
        return R"({"ph":"X","cat":"kernel","name":)" + string() + R"(,"pid":0,"tid":7,"ts":)" +
               time() + R"(,"dur":)" + time() + R"(,"args":{"device":)" + integer() +
               R"(,"correlation":)" + integer() + R"(,"grid":)" + skipped() +
               R"(,"blocks per SM":)" + skipped() + "}}";
      case 2:
        return R"({"ph": "s", "id": )" + (below(3) == 0 ? string() : integer()) +
               R"(, "pid": 589, "tid": 589, "ts": )" + time() +
               R"(, "cat": "ac2g", "name": "ac2g"})";
      case 3:  // a fragment longer than two vectors
        return R"({"ph":"X","ts":)" + time() + R"(,"cat":")" + std::string(150, 'c') +
               R"(","name":)" + string() + R"(,"dur":)" + time() + "}";
      default:
        return R"({"args":{"start_time":)" + string() + R"(,"x":)" + skipped() + R"(},"ts":)" +
               time() + R"(,"name":)" + string() + "}";
    }
  }

  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::string digits(std::size_t most) {
    std::string text;
    for (std::size_t n = below(most + 1); n > 0; --n) text += static_cast<char>('0' + below(10));
    return text;
  }

  std::string time() {
    switch (below(12)) {
      case 0:
        return digits(20) + "." + digits(5);
      case 1:
        return digits(20);
      case 2:
        return "-" + digits(8) + ".125";
      case 3:
        return "\"" + digits(14) + ".5\"";
      case 4:
        return digits(4) + "e" + digits(2);
      case 5:
        return digits(13) + ".250" + odd_byte();
      default:
        return "1" + digits(12) + ".875";
    }
  }

  std::string integer() {
    switch (below(8)) {
      case 0:
        return digits(22);
      case 1:
        return "-" + digits(10);
      case 2:
        return "\"" + digits(6) + "\"";
      case 3:
        return digits(5) + odd_byte();
      default:
        return "7" + digits(9);
    }
  }

  std::string string() {
    std::string text(below(4) == 0 ? below(200) : below(30), 'n');
    for (char& c : text) c = static_cast<char>('a' + below(26));
    if (below(6) == 0 && !text.empty())
      text[below(text.size())] = "\\\"\n\x01\x1f}{,\x7f"[below(9)];
    return "\"" + text + "\"";
  }

  std::string skipped() {
    switch (below(6)) {
      case 0:
        return "[" + digits(3) + ", " + digits(40) + ", 1]";
      case 1:
        return "[[1, 2], {\"x\": \"]\"}]";
      case 2:
        return "[\"]\"" + odd_byte() + "]";
      case 3:
        return "null";
      case 4:
        return string();
      default:
        return digits(12) + "." + digits(30);
    }
  }

  std::string odd_byte() { return {" \n\t}],:\"x-.\\"[below(12)]}; }

  std::mt19937 random_;
};

constexpr int kEvents = test::kIsWatched ? 10'000 : 40'000;

TEST(LayoutLoopsTest, there_is_one_for_every_processor) {
  ASSERT_FALSE(layout_loops().empty());
  EXPECT_EQ(layout_loops().back().name, "words");
}

TEST(LayoutLoopsTest, all_read_the_same) {
  RandomEvents events(7);
  std::vector<EventScanner> scanners;
  for (const LayoutLoops& loops : layout_loops()) scanners.emplace_back(loops);
  for (int i = 0; i < kEvents; ++i) {
    std::string text = events.event() + ",\n  {";
    if (events.below(4) == 0) text.resize(events.below(text.size()));
    if (text.empty() || text[0] != '{') continue;
    const std::string expected = scanned(scanners.back(), text);
    for (std::size_t s = 0; s + 1 < scanners.size(); ++s) {
      ASSERT_EQ(scanned(scanners[s], text), expected) << layout_loops()[s].name << "\n" << text;
    }
  }
}

// An event's answer depends neither on the events before nor on where the text is cut behind it.
TEST(LayoutLoopsTest, a_layout_changes_no_answer) {
  for (const LayoutLoops& loops : layout_loops()) {
    RandomEvents events(8);
    EventScanner scanner(loops);
    int whole = 0;
    for (int i = 0; i < kEvents / 4; ++i) {
      const std::string text = events.event();
      EventScanner fresh(loops);
      const std::string expected = scanned(fresh, text + ",");
      ASSERT_EQ(scanned(scanner, text + ","), expected) << loops.name << "\n" << text;
      whole += expected.size() > 1 ? 1 : 0;
    }
    EXPECT_GT(whole, kEvents / 16);  // most of them are events
  }
}

TEST(LayoutLoopsTest, a_text_that_ends_inside_an_event_is_never_a_whole_one) {
  const std::string event =
      "{\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void gemm<4>(float*, a long name "
      "that "
      "fills more than one vector of sixty-four bytes)\", \"pid\": 0, \"tid\": 7,\n    \"ts\": "
      "3848423555095.806, \"dur\": 1.856,\n    \"args\": {\n      \"External id\": 10, \"device\": "
      "0, "
      "\"grid\": [128, 1, 1], \"blocks per SM\": 0.969697\n    }\n  }";
  for (const LayoutLoops& loops : layout_loops()) {
    EventScanner scanner(loops);
    const std::string whole = scanned(scanner, event);
    ASSERT_GT(whole.size(), 1u);
    for (std::size_t bytes = 1; bytes < event.size(); ++bytes) {
      EXPECT_EQ(scanned(scanner, event.substr(0, bytes)),
                std::to_string(static_cast<int>(ScanResult::kIncomplete)))
          << loops.name << ", " << bytes << " bytes";
    }
    EXPECT_EQ(scanned(scanner, event), whole) << loops.name;
  }
}

}  // namespace
}  // namespace strobe::readers
