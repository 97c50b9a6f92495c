#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>

#include "strobe/readers/dialect.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;

TraceHead head_with(std::vector<std::pair<std::string, std::string>> members,
                    std::vector<std::string> categories = {}) {
  return {std::move(members), std::move(categories), {}, {}, {}};
}

TEST(PaddleDialectTest, its_files_are_told_by_the_head_or_by_the_categories) {
  EXPECT_TRUE(kPaddleDialect.recognises(head_with({{"span_indx", "\"0\""}})));
  EXPECT_TRUE(kPaddleDialect.recognises(head_with({{"ExtraInfo", "{}"}})));
  EXPECT_TRUE(kPaddleDialect.recognises(head_with({{"schemaVersion", "\"1.0.2\""}})));
  EXPECT_TRUE(kPaddleDialect.recognises(head_with({}, {"Operator", "CudaRuntime"})));
  EXPECT_TRUE(kPaddleDialect.recognises(head_with({}, {"ProfileStep"})));
}

TEST(PaddleDialectTest, old_files_of_another_writer_with_the_same_words_are_left_alone) {
  EXPECT_FALSE(kPaddleDialect.recognises(
      head_with({{"schemaVersion", "1"}}, {"Operator", "Runtime", "Kernel", "Memcpy"})));
  EXPECT_FALSE(kPaddleDialect.recognises(head_with({}, {"Operator", "Kernel"})));
  EXPECT_FALSE(kPaddleDialect.recognises(head_with({})));
}

TEST(PaddleDialectTest, every_type_has_its_kind) {
  const std::map<std::string, SliceKind> kinds = {
      {"ProfileStep", SliceKind::kStep},
      {"Operator", SliceKind::kOperator},
      {"OperatorInner", SliceKind::kOperatorPhase},
      {"UserDefined", SliceKind::kUserRange},
      {"PythonUserDefined", SliceKind::kAnnotation},
      {"Dataloader", SliceKind::kDataLoader},
      {"Forward", SliceKind::kForward},
      {"Backward", SliceKind::kBackward},
      {"Optimization", SliceKind::kOptimizer},
      {"Communication", SliceKind::kCommunication},
      {"PythonOp", SliceKind::kPythonOp},
      {"DygraphKernelLaunch", SliceKind::kDynamicLaunch},
      {"StaticKernelLaunch", SliceKind::kStaticLaunch},
      {"CudaRuntime", SliceKind::kRuntimeCall},
      {"Kernel", SliceKind::kKernel},
      {"Memcpy", SliceKind::kMemcpy},
      {"Memset", SliceKind::kMemset},
      {"SomethingNew", SliceKind::kOther},
      {"", SliceKind::kOther},
  };
  for (const auto& [category, kind] : kinds) {
    const CategoryRule rule = kPaddleDialect.category_rule(category);
    EXPECT_EQ(rule.kind, kind) << category;
    if (rule.asks_name) {
      EXPECT_EQ(kPaddleDialect.name_rule(rule.kind, category, "x").kind, kind) << category;
    }
  }
}

TEST(PaddleDialectTest, communication_is_told_by_type_or_name) {
  const auto flags = [](SliceKind kind, std::string_view name) {
    return kPaddleDialect.name_rule(kind, "", name).flags;
  };
  EXPECT_EQ(flags(SliceKind::kKernel, "ncclKernel_AllReduce"), kCommunicates);
  EXPECT_EQ(flags(SliceKind::kOperator, "c_allreduce_sum dygraph"), kCommunicates);
  EXPECT_EQ(flags(SliceKind::kOperator, "matmul dygraph"), kNoFlags);
  EXPECT_EQ(flags(SliceKind::kCommunication, "push_sparse"), kCommunicates);
}

TEST(PaddleDialectTest, where_the_classic_tables_decide_otherwise_is_marked) {
  const auto flags = [](SliceKind kind, std::string_view name) {
    return kPaddleDialect.name_rule(kind, "", name).flags;
  };
  EXPECT_EQ(flags(SliceKind::kKernel, "hcclAllReduce"), kCommunicates | kClassicDiffers);
  EXPECT_EQ(flags(SliceKind::kOperator, "c_allgather dygraph"), kCommunicates | kClassicDiffers);
  EXPECT_EQ(flags(SliceKind::kOperator, "warpctc dygraph"), kClassicDiffers);
  EXPECT_FALSE(communicates_in_classic_tables(flags(SliceKind::kKernel, "hcclAllReduce")));
  EXPECT_TRUE(communicates_in_classic_tables(flags(SliceKind::kOperator, "warpctc dygraph")));
}

TEST(PaddleDialectTest, exactly_one_duration_is_cut_off_a_name) {
  const auto plain = kPaddleDialect.plain_name;
  EXPECT_EQ(plain("matmul dygraph[12.345 us]"), "matmul dygraph");
  EXPECT_EQ(plain("sync[67.323 ms]"), "sync");
  EXPECT_EQ(plain("k[0] [1.000 us][2.000 us]"), "k[0] [1.000 us]");
  EXPECT_EQ(plain("a[b[3.000 us]"), "a[b");
  EXPECT_EQ(plain("[5 us]"), "");
  EXPECT_EQ(plain("late[-1.500 us]"), "late");
}

TEST(PaddleDialectTest, what_only_looks_like_a_duration_stays) {
  const auto plain = kPaddleDialect.plain_name;
  for (const char* const name :
       {"array[3]", "wait [us]", "x[ us]", "x[. us]", "x[1. us]", "x[1.2.3 us]", "x[1.000 ns]",
        "x[1.000us]", "x[a1 us]", " us]", "", "plain", "x[1.000 us] "}) {
    EXPECT_EQ(plain(name), name);
  }
}

TEST(PaddleDialectTest, both_sides_of_a_thread_are_one) {
  EXPECT_EQ(kPaddleDialect.plain_thread("7001(Python)"), "7001");
  EXPECT_EQ(kPaddleDialect.plain_thread("7001(C++)"), "7001");
  EXPECT_EQ(kPaddleDialect.plain_thread("13"), "13");
  EXPECT_EQ(kPaddleDialect.plain_thread("7(Java)"), "7(Java)");
}

TEST(PaddleDialectTest, an_allocator_event_is_read_from_its_arguments) {
  MemoryEvent event;
  ASSERT_TRUE(kPaddleDialect.memory_event(
      "Free", "[memory]",
      R"json({"place": "Place(gpu:0)", "addr": "18446744073709551615", "increase_bytes": -1024,
              "current_allocated": 4096, "current_reserved": 8192, "peak_allocated": 5120,
              "peak_reserved": "8192"})json",
      event));
  EXPECT_EQ(event.action, MemoryAction::kFree);
  EXPECT_EQ(event.place, "Place(gpu:0)");
  EXPECT_EQ(event.address, UINT64_MAX);
  EXPECT_EQ(event.bytes, -1024);
  EXPECT_EQ(event.allocated_bytes, 4096);
  EXPECT_EQ(event.reserved_bytes, 8192);
  EXPECT_EQ(event.peak_allocated_bytes, 5120);
  EXPECT_EQ(event.peak_reserved_bytes, 8192);
}

TEST(PaddleDialectTest, all_four_allocator_events_are_known_and_others_are_none) {
  const std::map<std::string, MemoryAction> actions = {
      {"Allocate", MemoryAction::kAllocate},
      {"Free", MemoryAction::kFree},
      {"ReservedAllocate", MemoryAction::kReserve},
      {"ReservedFree", MemoryAction::kUnreserve},
  };
  for (const auto& [category, action] : actions) {
    MemoryEvent event;
    EXPECT_TRUE(kPaddleDialect.memory_event(category, "[memory]", "{}", event));
    EXPECT_EQ(event.action, action);
    EXPECT_EQ(event.allocated_bytes, -1);
  }
  MemoryEvent event;
  EXPECT_FALSE(kPaddleDialect.memory_event("async", "[memory]", "{}", event));
}

class SharedPaddleTraceTest : public ::testing::Test {
 protected:
  static fs::path shared_trace(const std::string& name) {
    return fs::path(STROBE_SOURCE_DIR) / ".." / "shared" / "traces" / name;
  }

  struct Sums {
    std::int64_t steps_ns = 0;
    std::int64_t kernels_ns = 0;
    std::size_t owned_calls = 0;
    std::size_t calls = 0;
  };

  static Sums sums_of(const Trace& trace) {
    Sums sums;
    const auto& owners = trace.nesting_hints().owners;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      const SliceId slice(row);
      if (trace.kind(slice) == SliceKind::kStep) sums.steps_ns += trace.duration_ns(slice);
      if (trace.kind(slice) == SliceKind::kKernel) sums.kernels_ns += trace.duration_ns(slice);
      if (trace.kind(slice) != SliceKind::kRuntimeCall) continue;
      ++sums.calls;
      sums.owned_calls += !owners.empty() && owners[row].valid();
    }
    return sums;
  }

  // Innermost range of the call's thread that contains it, by time alone.
  static SliceId container_of(const Trace& trace, SliceId call) {
    const auto end_of = [&](SliceId slice) { return trace.nesting_hints().ends_ns[slice.index()]; };
    SliceId innermost;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      const SliceId slice(row);
      if (!is_tree_kind(trace.kind(slice)) || &trace.track(slice) != &trace.track(call)) continue;
      if (trace.start_ns(slice) > trace.start_ns(call) || end_of(slice) < end_of(call)) continue;
      if (!innermost.valid() || trace.start_ns(slice) >= trace.start_ns(innermost)) {
        innermost = slice;
      }
    }
    return innermost;
  }
};

TEST_F(SharedPaddleTraceTest, the_real_trace_has_its_exact_totals_and_owners) {
  const fs::path path = shared_trace("paddle_real_attn_flash.json.gz");
  if (!fs::exists(path)) GTEST_SKIP() << "no ../shared/traces here";
  const auto loaded = read_trace(path);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().what;
  const Sums sums = sums_of(loaded->trace);
  EXPECT_EQ(sums.steps_ns, 9'586'556);
  EXPECT_EQ(sums.kernels_ns, 77'802'110);
  EXPECT_EQ(sums.calls, 1'901u);
  EXPECT_EQ(sums.owned_calls, 1'900u);
  EXPECT_EQ(loaded->trace.metadata().process_cpu_utilization, 1.125);
  EXPECT_EQ(loaded->trace.metadata().devices.size(), 3u);
}

TEST_F(SharedPaddleTraceTest, file_order_and_containment_give_the_same_owners) {
  for (const char* const name : {"paddle_real_attn_flash.json.gz", "paddle_real_attn_cinn.json.gz",
                                 "paddle_flash_attn.json.gz"}) {
    const fs::path path = shared_trace(name);
    if (!fs::exists(path)) GTEST_SKIP() << "no ../shared/traces here";
    const auto loaded = read_trace(path);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().what;
    const Trace& trace = loaded->trace;
    ASSERT_EQ(trace.nesting_hints().owners.size(), trace.slice_count()) << name;
    std::size_t calls = 0;
    std::size_t different = 0;
    for (std::size_t row = 0; row < trace.slice_count(); ++row) {
      if (trace.kind(SliceId(row)) != SliceKind::kRuntimeCall) continue;
      ++calls;
      different += container_of(trace, SliceId(row)) != trace.nesting_hints().owners[row];
    }
    EXPECT_GT(calls, 1'000u);
    EXPECT_EQ(different, 0u) << name;
  }
}

}  // namespace
}  // namespace strobe::readers
