#include <gtest/gtest.h>

#include <random>
#include <string>

#include "strobe/readers/layout_loops.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"
#include "tests/support/trace_text.h"
#include "tests/support/watched.h"

// Splits are guessed and then verified: for any piece size, number of threads or layout of the
// text, a trace and its import report are the same.
namespace strobe::readers {
namespace {

std::string random_event(std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string number = std::to_string(random() % 100000);
  switch (pick(9)) {
    case 0:
      return R"({"ph": "M", "name": "thread_name", "pid": 1, "tid": )" + std::to_string(pick(4)) +
             R"(, "args": {"name": "t)" + number + "\"}}";
    case 1:
      return R"({"ph": "s", "id": )" + number + R"(, "pid": 1, "tid": 2, "ts": )" + number +
             R"(, "cat": "ac2g"})";
    case 2:
      // A list of objects in the arguments that looks like events: the guess must fail here and be
      // corrected.
      return R"({"ph": "X", "cat": "cpu_op", "name": "decoy", "pid": 1, "tid": 1, "ts": )" +
             number +
             R"(, "dur": 1, "args": {"list": [{"name": 1}, {"ph": "X", "name": "no", "ts": 1}, {"ts": 2}]}})";
    case 3:
      return R"({"ph": "X", "cat": "cpu_op", "name": "}, {\"ph\": \"X\", \"name\": \"quoted)" +
             number + R"(", "pid": 1, "tid": 3, "ts": )" + number + R"(, "dur": 2})";
    case 4:
      return R"({"ph": "B", "name": "b", "pid": 1, "tid": 4, "ts": )" + number + "}";
    case 5:
      return R"({"ph": "E", "pid": 1, "tid": 4, "ts": )" + number + "}";
    case 6:
      return pick(4) == 0 ? R"({"ph": "X", "broken })"
                          : R"({"ph": "C", "name": "c", "pid": 1, "ts": )" + number +
                                R"(, "args": {"v": 1.5}})";
    default:
      return R"({"ph": "X", "cat": "kernel", "name": "k)" + std::to_string(pick(20)) +
             R"(", "pid": 0, "tid": 7, "ts": )" + number +
             R"(.125, "dur": 3, "args": {"External id": 1, "device": )" + std::to_string(pick(2)) +
             R"(, "correlation": )" + number + "}}";
  }
}

std::string random_trace(std::mt19937& random) {
  const bool object = random() % 2 == 0;
  const char* separators[] = {",\n  ", ",", " , \n\n"};
  const char* separator = separators[random() % 3];
  std::string text =
      object
          ? R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}, {"id": 1}], "traceEvents": [)"
          : "[";
  const std::size_t events = random() % 60;
  for (std::size_t i = 0; i < events; ++i) text += (i == 0 ? "" : separator) + random_event(random);
  text += object ? R"(], "traceName": "x", "list": [{"name": 1}, {"name": 2}]})" : "]";
  if (random() % 4 == 0) text.resize(random() % (text.size() + 1));
  return text;
}

std::string load_text(const std::string& text, unsigned threads, std::size_t piece_bytes,
                      const LayoutLoops& loops = layout_loops().front()) {
  const auto loaded = read_trace_bytes(
      text, "t",
      {.threads = threads, .keep_args = true, .piece_bytes = piece_bytes, .layout_loops = &loops});
  if (!loaded) return "error: " + loaded.error().what + " at " + loaded.error().where;
  return testing::describe(loaded->trace) + testing::describe(loaded->report);
}

TEST(PiecesAndThreadsTest, never_change_an_answer) {
  std::mt19937 random(20240915);
  constexpr int kRounds = test::kIsWatched ? 50 : 400;  // threads are slow to start when watched
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = random_trace(random);
    const std::string expected = load_text(text, 1, 1 << 20);
    for (const std::size_t piece_bytes : {1u, 7u, 64u, 200u, 1000u}) {
      ASSERT_EQ(load_text(text, 2, piece_bytes), expected) << "piece " << piece_bytes << "\n"
                                                           << text;
    }
    ASSERT_EQ(load_text(text, 5, 100), expected) << text;
    for (const LayoutLoops& loops : layout_loops()) {
      ASSERT_EQ(load_text(text, 1, 1 << 20, loops), expected) << loops.name << "\n" << text;
    }
  }
}

// Traces of several writers, whole and cut.
TEST(PiecesAndThreadsTest, loops_never_change_an_answer) {
  STROBE_NEEDS_SHARED();
  for (const char* name : {"h200_gpt_train_stack.json.gz", "h200_gpt_infer_compiled.json.gz",
                           "paddle_flash_attn.json.gz", "paddle_real_attn_cinn.json.gz"}) {
    const std::string whole = file_text(kShared / "traces" / name);
    for (const std::size_t bytes : {whole.size(), whole.size() / 3, whole.size() / 7}) {
      const std::string text = whole.substr(0, bytes);
      const std::string expected = load_text(text, 1, 1 << 20, layout_loops().back());
      for (const LayoutLoops& loops : layout_loops()) {
        // Compared as a claim: a difference is megabytes long.
        ASSERT_TRUE(load_text(text, 2, 1 << 20, loops) == expected) << name << ", " << loops.name;
      }
    }
  }
}

}  // namespace
}  // namespace strobe::readers
