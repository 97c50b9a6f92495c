#include "strobe/serve/kernel_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "strobe/serve/open_trace.h"
#include "tests/support/loop_trace.h"
#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using test::LogFolder;
using ::testing::HasSubstr;

const std::string kHeader =
    "Kernel                                                 Latency Tensor   DRAM\n";

std::string table_of(int ns) {
  return kHeader +
         fmt::format("{:<50}|{:>11}{:>7}{:>7}\n", "softmax_warp_forward", ns, "0.02", "0.43");
}

class KernelShelfTest : public ::testing::Test {
 protected:
  KernelShelfTest() {
    logs_.write_old("run/k.txt", table_of(5000));
    logs_.write_old("run/trace.json", test::LoopTrace{.kernel_us = 200, .step_us = 1000}.json());
    logs_.write_old("run/empty.txt", kHeader);
    logs_.write("secret.log", table_of(1));
  }

  Result<KernelShelf::Body> ask(const Query::Parameters& parameters) {
    auto folder = RunFolder::open({logs_.path().string()});
    ShelfView view;
    for (const FoundTrace& found : folder->scan()) {
      view.traces.emplace_back();
      view.traces.back().found = found;
    }
    view.kernel_files = folder->kernel_files();
    const TraceLookup lookup = [this](std::string_view name) { return open(name); };
    return shelf_.answer(Query(parameters), view, lookup);
  }

  Result<std::shared_ptr<const OpenTrace>> open(std::string_view name) {
    ++lookups_;
    if (is_loading_) return Error{ErrorCode::kTooLittleData, "it is being loaded", "trace", ""};
    STROBE_TRY(readers::LoadedTrace loaded, readers::read_trace(logs_.path() / std::string(name)));
    return std::make_shared<const OpenTrace>(std::string(name), std::move(loaded));
  }

  LogFolder logs_;
  KernelShelf shelf_;
  std::atomic<int> lookups_ = 0;
  bool is_loading_ = false;
};

TEST_F(KernelShelfTest, a_file_is_read_when_it_is_asked_for) {
  const auto answer = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"({"source":{"name":"run/k.txt",)"));
  EXPECT_THAT(**answer, HasSubstr(R"("latency_ns":5000,)"));
  EXPECT_EQ(lookups_, 0);
}

TEST_F(KernelShelfTest, the_kernels_of_a_trace_have_times_and_no_counters) {
  const auto answer = ask({{"trace", "run/trace.json"}});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_THAT(**answer, HasSubstr(R"("bound":"unknown")"));
  EXPECT_THAT(**answer, HasSubstr(R"("tensor_share":null)"));
  EXPECT_EQ(lookups_, 1);
  EXPECT_EQ(*ask({{"trace", "run/trace.json"}}), *answer);
  EXPECT_EQ(lookups_, 1);
}

TEST_F(KernelShelfTest, an_answer_is_kept_until_its_file_changes) {
  const auto first = ask({{"file", "run/k.txt"}});
  const auto again = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  const auto of_chip = ask({{"file", "run/k.txt"}, {"chip", "a100"}});
  ASSERT_TRUE(of_chip) << of_chip.error().what;
  EXPECT_NE(**of_chip, **first);
  const auto lower = ask({{"file", "run/k.txt"}, {"dram_roof", "0.5"}});
  ASSERT_TRUE(lower);
  EXPECT_THAT(**lower, HasSubstr(R"("achievable":{"tensor":0.9,"dram":0.5})"));
  logs_.write("run/k.txt", table_of(7000));
  const auto changed = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(changed);
  EXPECT_THAT(**changed, HasSubstr(R"("latency_ns":7000,)"));
}

TEST_F(KernelShelfTest, old_answers_make_room_for_new_ones) {
  const auto first = ask({{"file", "run/k.txt"}});
  for (int i = 1; i <= 8; ++i) {
    ASSERT_TRUE(ask({{"file", "run/k.txt"}, {"dram_roof", fmt::format("0.{}", i)}}));
  }
  const auto again = ask({{"file", "run/k.txt"}});
  ASSERT_TRUE(first && again);
  EXPECT_NE(*first, *again);
  EXPECT_EQ(**first, **again);
}

TEST_F(KernelShelfTest, many_who_ask_at_once_get_one_study) {
  std::vector<KernelShelf::Body> bodies(6);
  std::vector<std::thread> threads;
  for (auto& body : bodies) {
    threads.emplace_back([&] {
      if (const auto answer = ask({{"file", "run/k.txt"}})) body = *answer;
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_NE(bodies[0], nullptr);
  for (const auto& body : bodies) EXPECT_EQ(body, bodies[0]);
}

TEST_F(KernelShelfTest, while_a_trace_loads_nothing_is_kept) {
  is_loading_ = true;
  const auto loading = ask({{"trace", "run/trace.json"}});
  ASSERT_FALSE(loading);
  EXPECT_EQ(loading.error().what, "it is being loaded");
  is_loading_ = false;
  EXPECT_TRUE(ask({{"trace", "run/trace.json"}}));
}

TEST_F(KernelShelfTest, only_names_that_a_scan_found_lead_to_a_file) {
  const std::string absolute = (logs_.path() / "run/k.txt").string();
  for (const std::string& name :
       {std::string("secret.log"), std::string("../run/k.txt"), std::string("run/../run/k.txt"),
        absolute, std::string(""), std::string("run"), std::string("run/trace.json"),
        std::string("run/k.txt\0", 10)}) {
    const auto answer = ask({{"file", name}});
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound) << name;
    EXPECT_EQ(answer.error().where, "file");
  }
  EXPECT_EQ(ask({{"trace", "run/k.txt"}}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(lookups_, 0);
}

TEST_F(KernelShelfTest, a_file_without_kernels_says_so_by_its_name) {
  const auto answer = ask({{"file", "run/empty.txt"}});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTooLittleData);
  EXPECT_EQ(answer.error().where, "run/empty.txt");
}

TEST_F(KernelShelfTest, wrong_parameters_are_named) {
  const std::vector<std::pair<Query::Parameters, std::string>> wrong = {
      {{}, "file"},
      {{{"file", "run/k.txt"}, {"chip", "abacus"}}, "chip"},
      {{{"file", "run/k.txt"}, {"tensor_roof", "1.5"}}, "tensor_roof"},
      {{{"file", "run/k.txt"}, {"dram_roof", "0"}}, "dram_roof"},
      {{{"file", "run/k.txt"}, {"flop_per_s", "fast"}}, "flop_per_s"},
      {{{"file", "run/k.txt"}, {"dram_bytes_per_s", "-1"}}, "dram_bytes_per_s"},
      {{{"file", "run/k.txt"}, {"l2_bytes_per_s", "nan"}}, "l2_bytes_per_s"}};
  for (const auto& [parameters, expected] : wrong) {
    const auto answer = ask(parameters);
    ASSERT_FALSE(answer) << expected;
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument) << answer.error().what;
    EXPECT_EQ(answer.error().where, expected);
  }
}

}  // namespace
}  // namespace strobe::serve
