#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/cycles/cycle_methods.h"
#include "tests/support/sketch.h"

// Small loops with the shape of real ones: few turns of several equal layers.
namespace strobe::analysis {
namespace {

using namespace strobe::literals;

// Kernels one after the other on one stream, 1 us apart.
class Loop {
 public:
  Loop() { sketch_.stream(0, 7); }

  Loop& begin_turn() {
    starts_ns_.push_back(at_ns_);
    return *this;
  }
  Loop& run(std::initializer_list<const char*> names, std::int64_t duration_ns = 2_us) {
    for (const char* name : names) {
      sketch_.slice(name, SliceKind::kKernel, at_ns_, duration_ns);
      at_ns_ += duration_ns + 1_us;
    }
    return *this;
  }
  Loop& pause(std::int64_t duration_ns) {
    at_ns_ += duration_ns;
    return *this;
  }
  const std::vector<std::int64_t>& starts_ns() const { return starts_ns_; }
  Trace trace() { return sketch_.trace(); }

 private:
  Sketch sketch_;
  std::int64_t at_ns_ = 0;
  std::vector<std::int64_t> starts_ns_;
};

Loop train_transformer(int turns, int layers) {
  Loop loop;
  for (int turn = 0; turn < turns; ++turn) {
    loop.begin_turn().run({"copy", "embed"});
    for (int layer = 0; layer < layers; ++layer) {
      loop.run({"norm", "gemm", "attention", "gemm", "add", "norm", "gemm", "gelu", "gemm", "add"});
    }
    loop.run({"logits", "softmax", "loss", "loss_backward", "softmax_backward"});
    for (int layer = 0; layer < layers; ++layer) {
      loop.run({"gemm_backward", "gelu_backward", "gemm_backward", "norm_backward",
                "attention_backward", "gemm_backward", "norm_backward"});
    }
    loop.run({"embed_backward", "adam", "zero"}).pause(20_us);
  }
  return loop;
}

// Every kernel runs several times in each turn.
Loop train_perceptron(int turns, int layers) {
  Loop loop;
  for (int turn = 0; turn < turns; ++turn) {
    loop.begin_turn();
    for (int layer = 0; layer < layers; ++layer) loop.run({"gemm", "relu"});
    for (int layer = 0; layer < layers; ++layer) loop.run({"relu_backward", "gemm", "gemm"});
    for (int layer = 0; layer < layers; ++layer) loop.run({"sgd"});
    loop.pause(10_us);
  }
  return loop;
}

void decode(Loop& loop, int tokens, int layers) {
  for (int token = 0; token < tokens; ++token) {
    loop.begin_turn().run({"embed"});
    for (int layer = 0; layer < layers; ++layer) {
      loop.run({"norm", "gemv", "paged", "gemv", "add", "norm", "gemv", "silu", "gemv"});
    }
    loop.run({"logits", "sample"}).pause(5_us);
  }
}

// The prefill runs other kernels in its layers, ten times as long.
Loop prefill_and_decode(int tokens, int layers) {
  Loop loop;
  loop.begin_turn().run({"embed"});
  for (int layer = 0; layer < layers; ++layer) {
    loop.run({"norm", "gemm", "flash", "gemm", "add", "norm", "gemm", "silu", "gemm"}, 20_us);
  }
  loop.run({"logits", "sample"});
  decode(loop, tokens, layers);
  return loop;
}

std::vector<std::int64_t> turns_of(const CycleList& list) {
  std::vector<std::int64_t> starts_ns;
  for (const Cycle& cycle : list.cycles) starts_ns.push_back(cycle.interval.start_ns);
  return starts_ns;
}

// Both ways to look: the quick one of summaries and the one of comparisons.
void expect_turns(Loop loop, const std::string& shape) {
  const Trace trace = loop.trace();
  const std::optional<CycleList> sure = find_sure_cycles(trace);
  ASSERT_TRUE(sure) << shape;
  EXPECT_EQ(turns_of(*sure), loop.starts_ns()) << shape;
  const Result<CycleList> found = cycles_by_kernel_sequence(trace);
  ASSERT_TRUE(found) << shape;
  EXPECT_EQ(turns_of(*found), loop.starts_ns()) << shape;
  EXPECT_EQ(found->confidence, CycleConfidence::kHigh) << shape;
}

void expect_no_turns(Loop loop, const std::string& shape) {
  const Trace trace = loop.trace();
  EXPECT_FALSE(find_sure_cycles(trace)) << shape;
  EXPECT_FALSE(cycles_by_kernel_sequence(trace)) << shape;
}

std::string shape_text(int turns, int layers) {
  return std::to_string(turns) + " turns, " + std::to_string(layers) + " layers";
}

constexpr int kLayers[] = {2, 3, 6, 12};

TEST(LoopShapesTest, steps_of_a_training_are_found_not_its_layers) {
  for (const int layers : kLayers) {
    for (const int turns : {4, 6}) {
      expect_turns(train_transformer(turns, layers), shape_text(turns, layers));
    }
  }
}

TEST(LoopShapesTest, a_step_without_a_kernel_of_its_own_begins_where_two_meet) {
  for (const int layers : kLayers) {
    for (const int turns : {4, 6}) {
      expect_turns(train_perceptron(turns, layers), shape_text(turns, layers));
    }
  }
}

TEST(LoopShapesTest, tokens_after_a_prefill_are_found) {
  for (const int layers : kLayers) {
    for (const int tokens : {4, 8}) {
      expect_turns(prefill_and_decode(tokens, layers), shape_text(tokens, layers));
    }
  }
}

// "embed", "logits" and "sample" come twice or three times: too few turns, and no layer is one.
TEST(LoopShapesTest, layers_of_too_few_turns_do_not_pass_for_turns) {
  for (const int layers : {3, 12, 30}) {
    for (const int turns : {2, 3}) {
      Loop loop;
      decode(loop, turns, layers);
      expect_no_turns(std::move(loop), shape_text(turns, layers));
      expect_no_turns(train_transformer(turns, layers), shape_text(turns, layers));
    }
  }
}

TEST(LoopShapesTest, a_first_turn_may_differ_from_the_others) {
  std::vector<std::uint32_t> functions = {0, 3, 3, 3, 3, 1};
  for (int i = 0; i < 12; ++i) functions.insert(functions.end(), {0, 1, 2});
  const std::vector<std::size_t> periods = {3};
  EXPECT_FALSE(repeats_after(functions, 4, periods)) << "function 3 is missing";
  EXPECT_TRUE(repeats_after(functions, 4, periods, 6));
  functions.push_back(3);
  EXPECT_FALSE(repeats_after(functions, 4, periods, 6)) << "it comes again";
  EXPECT_FALSE(repeats_after(functions, 4, periods, functions.size()));
}

}  // namespace
}  // namespace strobe::analysis
