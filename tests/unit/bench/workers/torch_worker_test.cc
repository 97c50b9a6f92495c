#include "strobe/bench/workers/torch_worker.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <numeric>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/input_values.h"
#include "strobe/bench/reference/mask_check.h"
#include "strobe/bench/reference/reference.h"
#include "strobe/bench/workers/worker_process.h"
#include "strobe/device/metric_info.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace strobe::bench {
namespace {

using strobe::test::ProcessOutcome;
using strobe::test::run_process;
using ::testing::HasSubstr;

ProcessOutcome run_python(const std::string& program) {
  return run_process(
      {.command = {"/usr/bin/env", "python3", "-c", program},
       .folder = "/tmp",
       .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1"}});
}

TEST(TorchWorker, the_source_travels_in_the_binary) {
  const std::string folder = STROBE_SOURCE_DIR "/src/strobe/bench/workers/";
  // Not EXPECT_EQ, which would print both texts.
  std::string whole;
  for (const char* part : {"cases", "flush", "profile", "worker"}) {
    whole += strobe::testing::bytes_of(folder + "torch_" + part + ".py");
  }
  EXPECT_TRUE(torch_worker_source() == whole);
  EXPECT_TRUE(is_torch_provider("torch-inductor"));
  EXPECT_FALSE(is_torch_provider("inductor"));
}

TEST(TorchWorker, its_file_is_there_while_it_is_needed) {
  std::filesystem::path path;
  {
    const auto file = TorchWorkerFile::make();
    ASSERT_TRUE(file) << file.error().what;
    path = file->path();
    EXPECT_EQ(strobe::testing::bytes_of(path), torch_worker_source());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TorchWorker, it_compiles) {
  const auto file = TorchWorkerFile::make();
  ASSERT_TRUE(file);
  const ProcessOutcome outcome =
      run_python(fmt::format("compile(open('{}').read(), 'w', 'exec')", file->path().string()));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST(TorchWorker, without_torch_it_says_so_and_what_to_do) {
  // A torch that cannot be imported, whatever is installed on this machine.
  const strobe::testing::TemporaryFolder folder;
  strobe::testing::put_bytes(folder / "torch.py", "raise ImportError('no torch in this test')\n");
  const auto file = TorchWorkerFile::make();
  ASSERT_TRUE(file);
  auto worker =
      WorkerProcess::start({"/usr/bin/env", "PYTHONPATH=" + folder.path().string(),
                            "PYTHONDONTWRITEBYTECODE=1", "python3", file->path().string()});
  ASSERT_TRUE(worker);
  const WorkerReply hello = (*worker)->ask({.op = WorkerOp::kHello}, std::chrono::seconds(30));
  EXPECT_EQ(hello.status, CellStatus::kOk);
  EXPECT_EQ(
      hello.info.obstacle,
      "python cannot import torch (no torch in this test); install it, or name an interpreter "
      "that has it with --python");
  WorkerRequest plan{.op = WorkerOp::kPlan, .id = 3};
  plan.prepare.cell = {"softmax", Shape{{4, 4}}, DType::kF32, "torch-eager"};
  EXPECT_EQ((*worker)->ask(plan, std::chrono::seconds(30)).status, CellStatus::kError);
}

TEST(TorchWorker, a_torch_without_a_device_says_so) {
  const strobe::testing::TemporaryFolder folder;
  strobe::testing::put_bytes(
      folder / "torch.py",
      "__version__ = '9.9'\nclass cuda:\n  is_available = staticmethod(lambda: False)\n");
  const auto file = TorchWorkerFile::make();
  ASSERT_TRUE(file);
  auto worker =
      WorkerProcess::start({"/usr/bin/env", "PYTHONPATH=" + folder.path().string(),
                            "PYTHONDONTWRITEBYTECODE=1", "python3", file->path().string()});
  ASSERT_TRUE(worker);
  const WorkerReply hello = (*worker)->ask({.op = WorkerOp::kHello}, std::chrono::seconds(30));
  EXPECT_THAT(hello.info.obstacle, HasSubstr("torch 9.9 sees no CUDA device"));
}

// What the worker does with a torch that only records how it is used.
std::string before_a_scripted_torch(const std::string& what = "",
                                    const std::string& script = "torch_worker_calls.py") {
  const auto file = TorchWorkerFile::make();
  std::vector<std::string> command = {"/usr/bin/env", "python3",
                                      STROBE_SOURCE_DIR "/tests/support/" + script,
                                      file->path().string()};
  if (!what.empty()) command.push_back(what);
  const ProcessOutcome outcome = run_process(
      {.command = command,
       .folder = "/tmp",
       .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

// One process computes many cells: each must find the same state as the first one, and hello, which
// may come while another is measured, must keep the device idle.
TEST(TorchWorker, every_cell_finds_the_compiler_and_the_memory_as_the_first_one_did) {
  // The second cell was compiled in an earlier run: torch's disk cache is the user's.
  EXPECT_EQ(before_a_scripted_torch(),
            "hello: True []\n"
            "prepare: ok\n"
            "cell: _dynamo.reset compile _C._cuda_clearCublasWorkspaces cuda.empty_cache\n"
            "peak: 400 cached: False\n"
            "prepare: ok\n"
            "cell: _dynamo.reset compile _C._cuda_clearCublasWorkspaces cuda.empty_cache\n"
            "peak: 400 cached: True\n"
            // The second mark excludes the flush; two profilers cannot share a process.
            "count: cuda.synchronize driver.cuProfilerStart sum cuda.synchronize "
            "driver.cuProfilerStart cuda.synchronize driver.cuProfilerStop\n"
            "kernels of it: None 2\n"
            "inductor was touched: False False\n");
}

// Two queries, a launch of 8 us with 5 us of the driver in it, and another thread's allocation are
// inside the call; the launch before it and the wait after it are not. Without its mark, the call
// cannot be found.
TEST(TorchWorker, the_api_calls_are_those_inside_the_mark_of_one_call) {
  EXPECT_EQ(before_a_scripted_torch("api"),
            "kernels: ['triton_softmax']\n"
            "api: null None\n"
            "kernels: ['triton_softmax']\n"
            R"(api: [{"name": "cudaStreamIsCapturing", "count": 2, "us": 2.0}, )"
            R"({"name": "cudaLaunchKernel", "count": 1, "us": 3.0}, )"
            R"({"name": "cuLaunchKernel", "count": 1, "us": 5.0}, )"
            R"({"name": "cudaMallocAsync", "count": 1, "us": 2.0}] None)"
            "\n"
            "kernels: ['triton_softmax']\n"
            "api: null None\n"
            "kernels: ['triton_softmax']\n"
            "api: null {'api': 'the profiler lost the mark of the call'}\n");
}

// The flush and the spinning kernel have run once before the first queue is held.
TEST(TorchWorker, a_queue_is_held_unless_the_cell_or_the_sample_says_otherwise) {
  EXPECT_EQ(before_a_scripted_torch("hold"),
            "prepare: flushed: 1 held: 1\n"
            "sample: {'device': [10.0, 10.0, 10.0]} held: 3\n"  // once per call
            "sample: {'device': [10.0, 10.0, 10.0]} held: 0\n"
            "prepare: flushed: 1 held: 0\n"
            "sample: {'device': [10.0, 10.0, 10.0]} held: 0\n"
            "sample: {'device': [10.0, 10.0, 10.0]} held: 0\n");
}

TEST(TorchWorker, a_small_call_is_timed_in_many_places) {
  EXPECT_EQ(before_a_scripted_torch("places"),
            "small: 16 16 by turns\n"
            "large: 1 1 [0, 0, 0]\n"
            "no memory: 4 4 [2, 3, 0]\n"
            "hot: 1 1 [0, 0, 0]\n");
}

// And with one that measures by script.
std::string when_it_measures(const std::string& what) {
  return before_a_scripted_torch(what, "torch_worker_measures.py");
}

// The first line of a text that is a JSON object after so many others.
WorkerReply reply_in(const std::string& text, int others) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('{') && others-- == 0) return *parse_reply(line);
  }
  return {};
}

// The clock is read when the last call of a block has ended; at `finish`, an idle device would
// report another. A reason counts if it was present once.
TEST(TorchWorker, it_reads_the_clock_after_each_block_of_its_own_device) {
  const std::string told = when_it_measures("clock");
  EXPECT_EQ(told,
            "hello: True []\n"
            "found by: ['0000:07:00.0']\n"
            R"({"id": 1, "status": "ok", "samples_us": {"device": [10.0, 10.0]}, )"
            R"("sm_mhz": {"device": [1980, 1980]}})"
            "\n"
            "in the order: synchronize synchronize synchronize synchronize sm sm memory\n"
            "graph: {'graph': [1700, 1700]}\n"
            "call: None\n"
            R"({"clocks": {"sm_mhz": 1700, "memory_mhz": 3201, "power_w": 500.0, )"
            R"("temperature_c": 41, "reasons": ["power cap", "heat"]}})"
            "\n"
            "without NVML: {'id': 1, 'status': 'ok', 'samples_us': {'device': [10.0, 10.0]}} "
            "{'reasons': []}\n"
            "without a driver: {'id': 1, 'status': 'ok', 'samples_us': {'device': [10.0, 10.0]}} "
            "{'reasons': []}\n"
            "with one that fails: {'id': 1, 'status': 'ok', 'samples_us': {'device': [10.0, "
            "10.0]}} {'reasons': []}\n");
  const SampleBlock block = reply_in(told, 0).samples[TimeMode::kDevice];
  EXPECT_THAT(block.sm_mhz, ::testing::ElementsAre(1980, 1980));
  const Clocks clocks = reply_in(told, 1).clocks;
  EXPECT_EQ(clocks.memory_mhz, 3201);
  EXPECT_EQ(clocks.power_w, 500);
  EXPECT_EQ(clocks.temperature_c, 41);
  EXPECT_THAT(clocks.reasons, ::testing::ElementsAre("power cap", "heat"));
}

TEST(TorchWorker, it_names_the_reasons_of_a_low_clock_like_strobe) {
  for (unsigned bit = 0x002; bit <= 0x100; bit <<= 1) {
    const std::string entry = fmt::format("{:#05x}: \"{}\"", bit, device::clock_limits_text(bit));
    EXPECT_NE(torch_worker_source().find(entry), std::string::npos) << entry;
  }
}

// The functions of the script on tensors that count themselves: eager holds what was planned for
// it. 64x4096, M N K = 1024 512 256 and a convolution to 15x15. A compiler may need less, and a
// product of products has one product between: MK + KN + NK + MN + MK = 1310720.
TEST(TorchWorker, its_plans_are_what_its_operators_hold) {
  EXPECT_EQ(when_it_measures("plan"),
            "pointwise_chain as held: 1310720 compiled: 524288\n"
            "softmax as held: 524288 compiled: 524288\n"
            "naive_softmax as held: 786432 compiled: 524288\n"
            "double_softmax as held: 786432 compiled: 524288\n"
            "softmax_backward as held: 786432 compiled: 786432\n"
            "layernorm as held: 532480 compiled: 532480\n"
            "norm_chain as held: 786432 compiled: 524288\n"
            "horizontal_reduction_pointwise as held: 524352 compiled: 524352\n"
            "horizontal_reduction_reduction as held: 262272 compiled: 262272\n"
            "bias_dropout_add as held: 1052672 compiled: 790528\n"
            "bias_gelu as held: 1576960 compiled: 528384\n"
            "bias_dropout_add_transposed as held: 1310720 compiled: 1048576\n"
            "matmul_add as held: 1966080 compiled: 1441792\n"
            "matmul_relu as held: 1441792 compiled: 917504\n"
            "matmul_add_relu as held: 1966080 compiled: 1441792\n"
            "matmul_matmul as held: 1310720 compiled: 1310720\n"
            "conv_add as held: 594432 compiled: 479232\n"
            "conv_relu as held: 479232 compiled: 364032\n"
            "conv_bn as held: 479488 compiled: 364288\n"
            "attention as held: 1245184 compiled: 720896\n"
            "eager 3004000\n"
            "inductor 2004000\n"
            "sdpa-math 2004000\n"
            "sdpa-flash 4000\n");
}

TEST(TorchWorker, a_call_that_cannot_be_queued_in_time_is_an_error_and_no_sample) {
  EXPECT_EQ(when_it_measures("hold"),
            "samples: {'device': [10.0, 10.0]} holds: 7 the longest: 16000 us\n"
            "ok None\n"
            "samples: None holds: 12 the longest: 1000000 us\n"
            "error the host needs more than a hold of 1 s to queue one call, so its time on the "
            "device alone cannot be measured (a debugger or profiler may make every launch wait, "
            "or the call waits for the device itself; `--profile` holds no queue, `--mode call` "
            "and `--mode graph` need none)\n"
            "without a hold: {'device': [10.0, 10.0]}\n");
}

TEST(TorchWorker, a_graph_is_of_twenty_calls_and_all_it_has_is_written) {
  EXPECT_EQ(when_it_measures("graph"),
            "32 calls; graph: 32 calls on 16 sets of buffers, all written by a replay, 8.4 MB in "
            "all: 8.0 times the L2 cache\n"
            "20 calls; graph: 20 calls on 4 sets of buffers, all written by a replay, 2.1 MB in "
            "all: 2.0 times the L2 cache\n"
            "20 calls; graph: 20 calls on 1 set of buffers, all written by a replay, 0.5 MB in "
            "all: 0.5 times the L2 cache (hot on purpose)\n"
            "20 calls; graph: 20 calls on 1 set of buffers, all written by a replay, 1073.7 MB in "
            "all: 1024.0 times the L2 cache\n"
            "1024 calls; graph: 1024 calls on 1024 sets of buffers, all written by a replay, 1.0 "
            "MB in all: 1.0 times the L2 cache (1024 sets are the most)\n"
            "error a graph of 32 calls wrote 13 of its 16 sets of buffers, so its times mean "
            "nothing\n"
            "results of 20 calls that are there at once: 1\n");
}

TEST(TorchWorker, the_size_of_the_cache_is_asked_for_and_never_assumed) {
  EXPECT_EQ(when_it_measures("cache"),
            "facts: {'sm_count': 2, 'memory_bytes': 2147483648, 'l2_bytes': 52428800}\n"
            "flushed: 100 MiB\n"
            "notes: []\n"
            "hot: []\n"
            "facts: {'sm_count': 2, 'memory_bytes': 2147483648}\n"
            "flushed: 256 MiB\n"
            "notes: ['the size of the L2 cache is unknown; flushing 256 MiB']\n"
            "hot: []\n");
}

// Three calls of two kernels, of 1, 2, 3 and of 10 us, each after a flush of 500; the list of
// kernels has the medians.
TEST(TorchWorker, activity_is_the_sum_of_a_calls_kernels_without_the_flush) {
  EXPECT_EQ(when_it_measures("activity"),
            "modes: ['device', 'graph', 'call', 'activity']\n"
            "cold: {'activity': [11, 12, 13]} recordings: 1\n"
            "kernels: [('one', 2), ('other', 10)] recordings: 1\n"
            "hot: {'activity': [11, 12, 13]} recordings: 1\n"
            "kernels: [('one', 2), ('other', 10)] recordings: 1\n"
            "error torch's profiler recorded 5 of 6 marks and kernels of 2 calls (it needs CUPTI, "
            "and no other profiler at work; `--mode device` needs neither)\n"
            "whole cell: ['device', 'call', 'activity'] {'device': [1], 'call': [1], 'activity': "
            "[1]}\n");
}

// The compiler's messages during preparation are in the last description as well.
TEST(TorchWorker, queueing_is_told_of_the_calls_that_were_timed) {
  const std::string told = when_it_measures("call");
  EXPECT_THAT(told, HasSubstr("call: {'call': [10, 10, 10]}\n"));
  const std::string after = told.substr(told.find("after:"));
  EXPECT_THAT(after, HasSubstr("'recompile limit hit: once', 'call: queueing alone takes the host "
                               "5.00 us (median of 3)', "));
  EXPECT_EQ(told.find("enqueue_us"), std::string::npos);
}

TEST(TorchWorker, its_flush_is_understood_by_the_assembler) {
  const ProcessOutcome outcome = run_python(
      "import importlib.util, os, shutil, subprocess, tempfile\n"
      "spec = importlib.util.spec_from_file_location('w', '" STROBE_SOURCE_DIR
      "/src/strobe/bench/workers/torch_flush.py')\n"
      "w = importlib.util.module_from_spec(spec); spec.loader.exec_module(w)\n"
      "ptxas = shutil.which('ptxas', path=os.environ['PATH'] + ':/usr/local/cuda/bin')\n"
      "if not ptxas: print('no ptxas'); raise SystemExit\n"
      "with tempfile.NamedTemporaryFile() as file:\n"
      "  file.write(w.FLUSH_PTX); file.flush()\n"
      "  for chip in ('sm_80', 'sm_86', 'sm_90'):\n"
      "    subprocess.run([ptxas, '-arch=' + chip, '-o', os.devnull, file.name], check=True)\n"
      "print('assembled')\n");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  if (outcome.out == "no ptxas\n") GTEST_SKIP() << "there is no ptxas";
  EXPECT_EQ(outcome.out, "assembled\n");
}

// The formula of the script on Python integers, bit by bit compared with the one of C++; tensors
// use the same lines.
TEST(TorchWorker, its_inputs_are_strobes_to_the_bit) {
  const ProcessOutcome outcome = run_python(
      "import importlib.util, struct\n"
      "spec = importlib.util.spec_from_file_location('w', '" STROBE_SOURCE_DIR
      "/src/strobe/bench/workers/torch_cases.py')\n"
      "w = importlib.util.module_from_spec(spec); spec.loader.exec_module(w)\n"
      "for law in ('normal', 'conditioned', 'far_from_zero'):\n"
      "  for seed in (0, 1, 42, 2**63 + 5):\n"
      "    for tensor in (0, 1, 5):\n"
      "      for index in (0, 1, 2, 65535, 2**32 + 7, 2**33 - 1):\n"
      "        value = w.python_value(law, seed, tensor, index, 1021)\n"
      "        print(struct.unpack('I', struct.pack('f', value))[0])\n");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::size_t compared = 0;
  for (const std::string_view law : {"normal", "conditioned", "far_from_zero"}) {
    for (const std::uint64_t seed : {0ull, 1ull, 42ull, (1ull << 63) + 5}) {
      for (const std::uint32_t tensor : {0u, 1u, 5u}) {
        for (const std::uint64_t index :
             {0ull, 1ull, 2ull, 65535ull, (1ull << 32) + 7, (1ull << 33) - 1}) {
          const float expected =
              law == "far_from_zero"
                  ? 0.5f + uniform_value(input_bits(seed, tensor, index), 1.0f)
                  : input_value(law == "normal" ? InputLaw::kNormal : InputLaw::kConditioned, seed,
                                tensor, index, 1021);
          std::uint32_t bits = 0;
          std::memcpy(&bits, &expected, sizeof bits);
          std::uint32_t theirs = 0;
          ASSERT_TRUE(lines >> theirs);
          EXPECT_EQ(theirs, bits) << law << " " << seed << " " << tensor << " " << index;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 216u);
}

TEST(TorchWorker, it_drops_what_strobe_drops) {
  const ProcessOutcome outcome = run_python(
      "import importlib.util\n"
      "spec = importlib.util.spec_from_file_location('w', '" STROBE_SOURCE_DIR
      "/src/strobe/bench/workers/torch_cases.py')\n"
      "w = importlib.util.module_from_spec(spec); spec.loader.exec_module(w)\n"
      "for seed in (0, 1, 42, 2**63 + 5):\n"
      "  key = w.dropout_key(seed)\n"
      "  print(key % 2**32)\n"
      "  for index in list(range(2000)) + [2**31 - 1, 2**31, 2**32 - 1, 2**32 + 7, 2**33 - 1]:\n"
      "    print(int(w.is_dropped(index + key, w.signed32)))\n");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::int64_t dropped = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 42ull, (1ull << 63) + 5}) {
    std::uint32_t key = 0;
    ASSERT_TRUE(lines >> key);
    EXPECT_EQ(key, dropout_key(seed));
    std::vector<std::int64_t> indices(2000);
    std::iota(indices.begin(), indices.end(), 0);
    for (const std::int64_t large :
         {(1ll << 31) - 1, 1ll << 31, (1ll << 32) - 1, (1ll << 32) + 7, (1ll << 33) - 1})
      indices.push_back(large);
    for (const std::int64_t index : indices) {
      int theirs = 2;
      ASSERT_TRUE(lines >> theirs);
      ASSERT_EQ(theirs == 1, is_dropped(key, index, 0.5)) << seed << " " << index;
      dropped += theirs;
    }
  }
  EXPECT_GT(dropped, 3800);
  EXPECT_LT(dropped, 4200);
}

// The functions of the script, over tables instead of tensors: rows and columns are not mixed up.
TEST(TorchWorker, its_training_cases_are_right_in_both_layouts) {
  for (const char* id : {"bias_dropout_add_train", "bias_dropout_add_transposed_train"}) {
    const ProcessOutcome outcome = run_process(
        {.command = {"/usr/bin/env", "python3", STROBE_SOURCE_DIR "/tests/support/torch_dropout.py",
                     STROBE_SOURCE_DIR "/src/strobe/bench/workers/torch_cases.py", id, "7", "12",
                     "9"},
         .folder = "/tmp",
         .environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1"}});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<float> values;
    std::istringstream lines(outcome.out);
    for (std::uint32_t bits = 0; lines >> bits;) values.push_back(std::bit_cast<float>(bits));
    PrepareRequest request;
    request.cell = {id, {{7, 12}}, DType::kF32, "torch-eager"};
    request.seed = 9;
    const CaseInfo& info = *find_case(id);
    std::vector<std::int64_t> rows(
        static_cast<std::size_t>(output_layouts(info, request.cell.shape)[0].rows));
    std::iota(rows.begin(), rows.end(), 0);
    ASSERT_EQ(values.size(), 84u);
    EXPECT_EQ(check_mask(info, request, rows, values).differences, 0u) << id;
    EXPECT_EQ(
        compare_values(values, reference_rows(info, request, 0, rows), {1e-6, 1e-6}).mismatches, 0u)
        << id;
  }
}

}  // namespace
}  // namespace strobe::bench
