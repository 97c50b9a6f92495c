#include "strobe/cli/convert_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using ::testing::HasSubstr;

Result<ConvertRequest> read_convert(const std::vector<std::string>& words,
                                    const TypedFlags& flags = {}) {
  return typed_request(convert_flags, complete_convert, words, flags);
}

ConvertFormat format_for(const std::string& output) {
  const auto request = read_convert({"a.json"}, {{"output", output}});
  EXPECT_TRUE(request) << request.error().what;
  return request->format;
}

TEST(ConvertRequestTest, the_ending_of_the_output_says_the_format) {
  EXPECT_EQ(format_for("x.json"), ConvertFormat::kJson);
  EXPECT_EQ(format_for("x.JSON.gz"), ConvertFormat::kGzipJson);
  EXPECT_EQ(format_for("a/b.json.zst"), ConvertFormat::kZstdJson);
  EXPECT_EQ(format_for("x.strobe-trace"), ConvertFormat::kColumns);
  EXPECT_EQ(format_for("-"), ConvertFormat::kJson);
  EXPECT_EQ(format_for("/dev/stdout"), ConvertFormat::kJson);
  EXPECT_EQ(format_for("folder/"), ConvertFormat::kGzipJson);
}

TEST(ConvertRequestTest, a_typed_format_counts_more) {
  const auto request = read_convert({"-"}, {{"output", "out/"}, {"to", "columns"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->format, ConvertFormat::kColumns);
  EXPECT_TRUE(request->is_folder);
  EXPECT_EQ(request->inputs, std::vector<std::string>{"/dev/stdin"});
  EXPECT_EQ(read_convert({"a"}, {{"output", "x.dat"}, {"to", "json.gz"}})->format,
            ConvertFormat::kGzipJson);
}

TEST(ConvertRequestTest, an_existing_folder_is_one_without_its_slash) {
  const testing::TemporaryFolder folder;
  const auto request = read_convert({"a"}, {{"output", folder.path().string()}});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->is_folder);
  EXPECT_TRUE(request->use_lanes);
  EXPECT_FALSE(
      read_convert({"a"}, {{"output", folder.path().string()}, {"no-lanes", ""}})->use_lanes);
}

TEST(ConvertRequestTest, what_is_missing_is_asked_for) {
  EXPECT_THAT(read_convert({}).error().what, HasSubstr("no trace"));
  EXPECT_THAT(read_convert({"a.json"}).error().what, HasSubstr("no output"));
  const auto unknown = read_convert({"a.json"}, {{"output", "x.txt"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(unknown.error().hint, HasSubstr(".json.gz"));
  EXPECT_FALSE(read_convert({"a.json"}, {{"output", "-"}, {"to", "columns"}}));
  EXPECT_FALSE(read_convert({"a.json"}, {{"output", "x.json"}, {"to", "xml"}}));
}

TEST(ConvertFormatTest, endings_and_compressions_belong_together) {
  EXPECT_EQ(ending_of(ConvertFormat::kGzipJson), ".json.gz");
  EXPECT_EQ(compression_of(ConvertFormat::kGzipJson), Compression::kGzip);
  EXPECT_EQ(ending_of(ConvertFormat::kZstdJson), ".json.zst");
  EXPECT_EQ(compression_of(ConvertFormat::kZstdJson), Compression::kZstd);
  EXPECT_EQ(compression_of(ConvertFormat::kJson), Compression::kNone);
  EXPECT_EQ(compression_of(ConvertFormat::kColumns), Compression::kNone);
}

TEST(TraceNamesTest, ranks_in_the_names_of_files_count_if_all_differ) {
  TraceNames names({"run/rank1.json", "run/rank0.json.gz"});
  const TraceName first = names.next(7);
  EXPECT_EQ(first.rank, 1);
  EXPECT_EQ(first.file, "rank1");
  EXPECT_EQ(first.label, "rank 1");
  EXPECT_EQ(names.next(std::nullopt).file, "rank0");
}

TEST(TraceNamesTest, otherwise_the_traces_say_their_ranks) {
  TraceNames names({"worker.1.pt.trace.json", "worker.2.pt.trace.json"});
  EXPECT_EQ(names.next(4).file, "rank4");
  EXPECT_EQ(names.next(5).label, "rank 5");
}

TEST(TraceNamesTest, without_ranks_files_keep_their_names_and_none_is_used_twice) {
  TraceNames names({"a/trace.json.gz", "b/trace.json", "c/x.strobe-trace", "d/y.json"});
  EXPECT_EQ(names.next(std::nullopt).file, "trace");
  const TraceName second = names.next(std::nullopt);
  EXPECT_EQ(second.file, "trace-2");
  EXPECT_EQ(second.label, "trace-2");
  EXPECT_FALSE(second.rank);
  EXPECT_EQ(names.next(3).file, "rank3");
  EXPECT_EQ(names.next(3).file, "y");  // two say that they are rank 3
}

}  // namespace
}  // namespace strobe::cli
