#include "strobe/readers/trace_cache.h"

#include <gmock/gmock.h>

#include <chrono>

#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;
using testing::bytes_of;
using testing::describe;
using ::testing::IsEmpty;
using testing::names_in;
using testing::put_bytes;
using ::testing::SizeIs;
using testing::TemporaryFolder;

std::string trace_json(std::string_view name) {
  return R"({"traceEvents": [{"ph":"X","cat":"cpu_op","name":")" + std::string(name) +
         R"(","ts":10,"dur":5,"pid":1,"tid":2,"args":{"Input Dims":[[3]]}}]})";
}

TEST(DefaultCacheFolderTest, the_folder_is_where_the_desktop_puts_caches) {
  EXPECT_EQ(default_cache_folder("/var/cache/me", "/users/me"), "/var/cache/me/strobe");
  EXPECT_EQ(default_cache_folder("", "/users/me"), "/users/me/.cache/strobe");
  EXPECT_EQ(default_cache_folder("relative", "/users/me"), "/users/me/.cache/strobe");
  EXPECT_EQ(default_cache_folder("", ""), "");
}

class TraceCacheTest : public ::testing::Test {
 protected:
  TraceCacheTest() {
    cache_.folder = folder_ / "cache";
    cache_.least_file_bytes = 0;
    put_bytes(path_, trace_json("gemm"));
  }

  LoadedTrace read(const LoadOptions& options = {}) {
    auto loaded = read_trace_cached(path_, options, cache_);
    EXPECT_TRUE(loaded) << loaded.error().what;
    return std::move(loaded).value();
  }
  LoadedTrace read_and_store(const LoadOptions& options = {}) {
    LoadedTrace loaded = read(options);
    const Result<void> stored = store_trace(loaded, cache_);
    EXPECT_TRUE(stored) << stored.error().what;
    return loaded;
  }
  std::set<std::string> cached(std::string_view suffix) {
    std::set<std::string> names = names_in(cache_.folder);
    std::erase_if(names, [&](const std::string& name) { return !name.ends_with(suffix); });
    return names;
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "trace.json";
  CacheOptions cache_;
};

TEST_F(TraceCacheTest, the_second_opening_comes_from_the_cache_and_is_the_same) {
  const LoadedTrace first = read_and_store();
  EXPECT_FALSE(first.is_from_cache);
  const LoadedTrace second = read();
  EXPECT_TRUE(second.is_from_cache);
  EXPECT_EQ(second.path, first.path);
  EXPECT_EQ(describe(second.trace), describe(first.trace));
  EXPECT_EQ(describe(second.report), describe(first.report));
  EXPECT_EQ(second.report.file_bytes, first.report.file_bytes);
  EXPECT_THAT(second.stages, SizeIs(1));
  EXPECT_TRUE(store_trace(second, cache_)) << "has nothing to do";
  EXPECT_THAT(cached(".trace"), SizeIs(1));
}

TEST_F(TraceCacheTest, reading_alone_writes_nothing) {
  EXPECT_FALSE(read().is_from_cache);
  EXPECT_FALSE(fs::exists(cache_.folder));
}

TEST_F(TraceCacheTest, a_copy_under_another_name_is_the_same_content) {
  read_and_store();
  fs::rename(path_, folder_ / "moved.json");
  path_ = folder_ / "moved.json";
  EXPECT_TRUE(read().is_from_cache);
  fs::copy_file(path_, folder_ / "copy.json");
  path_ = folder_ / "copy.json";
  const LoadedTrace copy = read();
  EXPECT_TRUE(copy.is_from_cache);
  EXPECT_EQ(copy.path, path_.string());
}

TEST_F(TraceCacheTest, changed_content_of_the_same_length_is_read_again) {
  read_and_store();
  put_bytes(path_, trace_json("gemv"));
  const LoadedTrace changed = read_and_store();
  EXPECT_FALSE(changed.is_from_cache);
  EXPECT_EQ(changed.trace.name(SliceId(0)), "gemv");
  put_bytes(path_, trace_json("gemm"));
  const LoadedTrace back = read();
  EXPECT_TRUE(back.is_from_cache);
  EXPECT_EQ(back.trace.name(SliceId(0)), "gemm");
}

TEST_F(TraceCacheTest, a_young_file_is_not_trusted_by_its_stamp) {
  // Written, read and stored within one tick: another write could leave the stamp unchanged.
  read_and_store();
  EXPECT_THAT(cached(".seen"), IsEmpty());
}

TEST_F(TraceCacheTest, an_older_file_is_remembered_by_its_stamp) {
  LoadedTrace later = read();
  // As if the file were an hour old.
  later.ticket->taken_ns += 3'600'000'000'000;
  later.ticket->content.reset();
  ASSERT_TRUE(store_trace(later, cache_));
  EXPECT_THAT(cached(".seen"), SizeIs(1));
  EXPECT_TRUE(read().is_from_cache);
}

TEST_F(TraceCacheTest, a_file_that_changed_since_it_was_read_is_not_stored) {
  const LoadedTrace loaded = read();
  put_bytes(path_, trace_json("another"));
  const Result<void> stored = store_trace(loaded, cache_);
  ASSERT_FALSE(stored);
  EXPECT_THAT(stored.error().what, ::testing::HasSubstr("changed"));
  EXPECT_FALSE(read().is_from_cache);
}

TEST_F(TraceCacheTest, a_young_file_rewritten_within_the_tick_is_not_stored_as_what_it_was) {
  LoadedTrace loaded = read();
  ASSERT_TRUE(loaded.ticket->content.has_value()) << "hashed before it was read";
  put_bytes(path_, trace_json("gemv"));
  loaded.ticket->stamp = *stamp_of(path_);  // as if no clock tick had passed
  EXPECT_FALSE(store_trace(loaded, cache_));
  EXPECT_FALSE(read().is_from_cache);
}

TEST_F(TraceCacheTest, traces_with_and_without_arguments_are_two) {
  LoadOptions core;
  core.keep_args = false;
  read_and_store(core);
  const LoadedTrace with_args = read_and_store();
  EXPECT_FALSE(with_args.is_from_cache);
  EXPECT_EQ(with_args.trace.args().size(), 1u);
  EXPECT_TRUE(read().is_from_cache);
  EXPECT_EQ(read().trace.args().size(), 1u);
  EXPECT_TRUE(read(core).is_from_cache);
  EXPECT_EQ(read(core).trace.args().size(), 0u);
}

TEST_F(TraceCacheTest, a_damaged_cache_is_ignored_and_rebuilt) {
  const LoadedTrace first = read_and_store();
  const fs::path file = cache_.folder / *cached(".trace").begin();
  const std::string bytes = bytes_of(file);
  for (const std::string& damaged :
       {std::string(), bytes.substr(0, 100), bytes.substr(0, bytes.size() - 1),
        std::string(bytes.size(), '\0'), bytes + bytes}) {
    put_bytes(file, damaged);
    const LoadedTrace again = read_and_store();
    EXPECT_FALSE(again.is_from_cache);
    EXPECT_EQ(describe(again.trace), describe(first.trace));
    EXPECT_TRUE(read().is_from_cache) << "it was rebuilt";
  }
}

TEST_F(TraceCacheTest, a_trace_under_anothers_name_is_not_believed) {
  read_and_store();
  const fs::path gemm = cache_.folder / *cached(".trace").begin();
  put_bytes(path_, trace_json("gemv"));
  read_and_store();
  std::set<std::string> names = cached(".trace");
  names.erase(gemm.filename().string());
  const fs::path gemv = cache_.folder / *names.begin();
  fs::rename(gemm, gemv);
  const LoadedTrace loaded = read();
  EXPECT_FALSE(loaded.is_from_cache);
  EXPECT_EQ(loaded.trace.name(SliceId(0)), "gemv");
}

TEST_F(TraceCacheTest, a_folder_that_cannot_be_written_is_no_failure) {
  put_bytes(folder_ / "file", "");
  cache_.folder = folder_ / "file" / "cache";
  const LoadedTrace loaded = read();
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  const Result<void> stored = store_trace(loaded, cache_);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, ErrorCode::kCannotWrite);
}

TEST_F(TraceCacheTest, short_files_and_no_folder_mean_no_cache) {
  cache_.least_file_bytes = 1 << 20;
  read_and_store();
  EXPECT_FALSE(fs::exists(cache_.folder));
  cache_ = CacheOptions{};
  cache_.least_file_bytes = 0;
  read_and_store();
  EXPECT_FALSE(read().is_from_cache);
}

TEST_F(TraceCacheTest, the_limit_holds) {
  cache_.limit_bytes = 0;
  read_and_store();
  EXPECT_THAT(cached(".trace"), IsEmpty());
}

TEST_F(TraceCacheTest, what_is_no_trace_is_still_told) {
  put_bytes(path_, "hello");
  const auto loaded = read_trace_cached(path_, {}, cache_);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::kMalformed);
  EXPECT_FALSE(read_trace_cached(folder_ / "missing", {}, cache_));
}

TEST_F(TraceCacheTest, what_strobe_recorded_needs_no_cache) {
  path_ = folder_ / "process-17.strobe";
  {
    test::RunFileSketch run(path_);
    run.process(17).work(run.kernel_shape("gemm"), 10, 5, 1);
  }
  const LoadedTrace loaded = read_and_store();
  EXPECT_EQ(loaded.trace.slice_count(), 1u);
  EXPECT_FALSE(loaded.ticket);
  EXPECT_THAT(cached(".trace"), IsEmpty());
}

}  // namespace
}  // namespace strobe::readers
