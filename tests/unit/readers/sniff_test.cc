#include "strobe/readers/sniff.h"

#include <gmock/gmock.h>

#include "strobe/base/gzip_pack.h"
#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

using ::testing::HasSubstr;
using testing::put_bytes;

constexpr std::string_view kSmallTrace =
    R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2}]})";

TEST(SniffTest, traces_are_recognised_whatever_stands_around_the_events) {
  EXPECT_TRUE(looks_like_trace(kSmallTrace));
  EXPECT_TRUE(looks_like_trace(R"([{"name": "a", "ph": "X", "ts": 1, "dur": 2}])"));
  EXPECT_TRUE(looks_like_trace(R"( [ {"ph": "M", "name": "process_name"} )"));
  EXPECT_TRUE(looks_like_trace(R"({"traceEvents": []})"));
  EXPECT_TRUE(looks_like_trace(pack_gzip(kSmallTrace)));
}

TEST(SniffTest, a_beginning_is_enough) {
  EXPECT_TRUE(looks_like_trace(kSmallTrace.substr(0, 40)));
  std::string numbers(R"({"traceEvents": [{"ph": "X", "ts": 1})");
  for (int i = 0; i < 200'000; ++i) numbers += R"(,{"ph": "X", "ts": )" + std::to_string(i) + "}";
  EXPECT_TRUE(looks_like_trace(std::string_view(numbers).substr(0, kSniffBytes)));
  const std::string packed = pack_gzip(numbers);
  EXPECT_TRUE(looks_like_trace(std::string_view(packed).substr(0, packed.size() / 2)));
}

TEST(SniffTest, other_json_is_no_trace) {
  EXPECT_FALSE(looks_like_trace(R"({"name": "web", "dependencies": {"traceEvents": "1.0"}})"));
  EXPECT_FALSE(looks_like_trace(R"({"traceEvents": "none"})"));
  EXPECT_FALSE(looks_like_trace(R"([1, 2, 3])"));
  EXPECT_FALSE(looks_like_trace(R"([{"name": "a", "value": 1}])"));
  EXPECT_FALSE(looks_like_trace("[]"));
  EXPECT_FALSE(looks_like_trace("{}"));
}

TEST(SniffTest, other_files_are_no_traces) {
  EXPECT_FALSE(looks_like_trace(""));
  EXPECT_FALSE(looks_like_trace("hello"));
  EXPECT_FALSE(
      looks_like_trace(std::string_view("\x7f"
                                        "ELF\0\0\0\0",
                                        8)));
  EXPECT_FALSE(looks_like_trace(std::string_view("\x1f\x8b\x08", 3)));
}

TEST(SniffTest, files_of_other_profilers_are_named_with_the_way_to_a_trace) {
  const std::string pickle("\x80\x04\x95\x10\0\0", 6);
  EXPECT_THAT(explain_not_a_trace(pickle).what, HasSubstr("Python pickle"));
  const std::string xplane("\n\x0b\x08\x01\x12\x07/host:CPU\0", 16);
  EXPECT_THAT(explain_not_a_trace(xplane).what, HasSubstr("first plane is damaged"));
  EXPECT_THAT(explain_not_a_trace(xplane).hint, HasSubstr("trace.json.gz"));
  const std::string perfetto("\n\x0e\x50\0\x01\x02", 6);
  EXPECT_THAT(explain_not_a_trace(perfetto).what, HasSubstr("neither an XPlane profile nor"));
  const std::string unknown("\x01\x02\0\0", 4);
  EXPECT_THAT(explain_not_a_trace(unknown).what, HasSubstr("binary file"));
}

TEST(SniffTest, what_strobe_recorded_is_told_apart_by_content) {
  EXPECT_TRUE(has_trace_name("run/process-17.strobe"));
  const std::string run = test::run_file_bytes([](test::RunFileSketch& file) { file.process(17); });
  EXPECT_TRUE(looks_like_trace(run));
  const std::string kernels("STROBEKR\1\0\0\0", 12);
  EXPECT_FALSE(looks_like_trace(kernels));
  EXPECT_THAT(explain_not_a_trace(kernels).what, HasSubstr("recording of kernels"));
  EXPECT_THAT(explain_not_a_trace(kernels).hint, HasSubstr("strobe kernels"));
}

TEST(SniffTest, the_error_of_a_folder_names_the_traces_in_it) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(open_input(folder.path()).error().hint, HasSubstr("the folder has no traces"));
  put_bytes(folder / "b.json.gz", pack_gzip(kSmallTrace));
  put_bytes(folder / "settings.json", "[1]");
  EXPECT_THAT(open_input(folder.path()).error().hint, HasSubstr("the trace in it: '"));
  put_bytes(folder / "a.json", kSmallTrace);
  const auto file = open_input(folder.path());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, ErrorCode::kMalformed);
  EXPECT_THAT(file.error().hint, HasSubstr("2 traces"));
  EXPECT_THAT(file.error().hint, HasSubstr("a.json'"));
  EXPECT_THAT(file.error().hint, HasSubstr("or the folder itself to `strobe summary`"));
  EXPECT_TRUE(open_input(folder.path() / "a.json"));
}

TEST(SniffTest, archives_have_one_sentence) {
  EXPECT_EQ(explain_not_a_trace("PK\x03\x04 and so on").what, "this is a zip archive");
  EXPECT_EQ(explain_not_kernels("PK\x03\x04 and so on").what, "this is a zip archive");
  EXPECT_EQ(explain_not_a_trace("BZh61AY&SY and so on").what, "this is a bzip2 file");
}

TEST(SniffTest, counters_where_a_trace_belongs_lead_to_the_command_that_reads_them) {
  for (const std::string_view first :
       {std::string_view("\"ID\",\"Process ID\",\"Kernel Name\"\n"),
        std::string_view("==PROF== Connected to process 796\n\"ID\",\"Kernel Name\"\n"),
        std::string_view("NVR\0\1\2", 6)}) {
    EXPECT_EQ(explain_not_a_trace(first).hint, "`strobe kernels FILE` reads it") << first;
  }
  EXPECT_EQ(explain_not_a_trace("timestamp,gpu_util\n1,97\n").what,
            "this is a CSV table, not a trace");
}

TEST(SniffTest, a_bomb_is_not_unfolded) {
  EXPECT_FALSE(looks_like_trace(pack_gzip("{" + std::string(32 << 20, ' '))));
}

}  // namespace
}  // namespace strobe::readers
