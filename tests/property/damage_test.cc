// Half a file and a spoilt one, for every format that is read: reading ends, invents nothing, and
// keeps what can be kept. Recordings have a test of their own, run_file_cuts_test.
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "strobe/readers/counters/kernel_reader.h"
#include "tests/property/shared_files.h"
#include "tests/support/damage.h"

namespace strobe::readers {
namespace {

const std::filesystem::path kSmallFiles =
    std::filesystem::path(STROBE_SOURCE_DIR) / "tests/fuzz/corpus";

// A small file of a format, below the corpora.
struct SmallFile {
  const char* path;
  testing::Order order;
};

std::string name_of(const ::testing::TestParamInfo<SmallFile>& file) {
  std::string name = std::filesystem::path(file.param.path).filename().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name + "_" + std::to_string(file.index);
}

void PrintTo(const SmallFile& file, std::ostream* out) { *out << file.path; }

class DamagedTraceTest : public ::testing::TestWithParam<SmallFile> {};

TEST_P(DamagedTraceTest, reading_ends_and_keeps_what_it_can) {
  testing::expect_survives(file_text(kSmallFiles / GetParam().path), GetParam().order);
}

constexpr auto kFrontToBack = testing::Order::kFrontToBack;
constexpr auto kAny = testing::Order::kAny;

INSTANTIATE_TEST_SUITE_P(
    EventsInJson, DamagedTraceTest,
    ::testing::Values(SmallFile{"trace_reader_fuzz/h200_train.json", kFrontToBack},
                      SmallFile{"trace_reader_fuzz/h200_compiled_one_line.json", kFrontToBack},
                      SmallFile{"trace_reader_fuzz/paddle.json", kFrontToBack},
                      SmallFile{"trace_reader_fuzz/mtia.json", kFrontToBack},
                      SmallFile{"trace_reader_fuzz/jax.json", kFrontToBack},
                      SmallFile{"trace_reader_fuzz/aiu.json", kFrontToBack},
                      SmallFile{"profile_fuzz/mlu", kFrontToBack},
                      SmallFile{"rocm_fuzz/events.json", kFrontToBack},
                      SmallFile{"npu_formats_fuzz/trace_view.json", kFrontToBack}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Databases, DamagedTraceTest,
                         ::testing::Values(SmallFile{"database_fuzz/nsys.sqlite", kAny},
                                           SmallFile{"database_fuzz/nsys_graphs.sqlite", kAny},
                                           SmallFile{"database_fuzz/nvprof.sqlite", kAny},
                                           SmallFile{"rocm_fuzz/results.db", kAny},
                                           SmallFile{"rocm_fuzz/rocpd.db", kAny},
                                           SmallFile{"rocm_fuzz/small.rpd", kAny},
                                           SmallFile{"npu_formats_fuzz/profiler.db", kAny}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(OtherFormats, DamagedTraceTest,
                         ::testing::Values(SmallFile{"xplane_fuzz/gpu", kFrontToBack},
                                           SmallFile{"xplane_fuzz/tpu", kFrontToBack},
                                           SmallFile{"perfetto_fuzz/gpu", kFrontToBack},
                                           SmallFile{"pickle_fuzz/snapshot_0.pickle", kFrontToBack},
                                           SmallFile{"pickle_fuzz/snapshot_2.pickle", kFrontToBack},
                                           SmallFile{"pickle_fuzz/snapshot_4.pickle", kFrontToBack},
                                           SmallFile{"rocm_fuzz/records.json", kFrontToBack},
                                           SmallFile{"rocm_fuzz/kernels.csv", kFrontToBack},
                                           SmallFile{"rocm_fuzz/calls.csv", kFrontToBack},
                                           SmallFile{"rocm_fuzz/copies.csv", kFrontToBack},
                                           SmallFile{"rocm_fuzz/markers.csv", kFrontToBack},
                                           SmallFile{"rocm_fuzz/counters.csv", kFrontToBack},
                                           SmallFile{"npu_formats_fuzz/kernel_details.csv",
                                                     kFrontToBack}),
                         name_of);

class DamagedKernelsTest : public ::testing::TestWithParam<const char*> {};

std::size_t kernels_in_damaged(std::string_view bytes) {
  const Result<KernelTable> table = read_kernels_bytes(bytes, "damaged");
  if (!table) {
    EXPECT_FALSE(table.error().what.empty());
    return 0;
  }
  EXPECT_EQ(table->durations_ns.size(), table->size());
  for (std::size_t row = 0; row < table->size(); ++row) (void)table->name(row);
  return table->size();
}

TEST_P(DamagedKernelsTest, reading_ends_and_keeps_what_it_can) {
  const std::string bytes = file_text(kSmallFiles / GetParam());
  const std::size_t whole = kernels_in_damaged(bytes);
  ASSERT_GT(whole, 0u);
  std::size_t before = 0;
  testing::for_each_cut(bytes, [&](std::string_view part) {
    const std::size_t kernels = kernels_in_damaged(part);
    EXPECT_LE(kernels, whole) << "cut at " << part.size();
    EXPECT_GE(kernels, before) << "cut at " << part.size();
    before = kernels;
  });
  testing::for_each_flip(bytes, [&](const std::string& damaged) {
    EXPECT_LE(kernels_in_damaged(damaged), bytes.size());
  });
}

INSTANTIATE_TEST_SUITE_P(
    Counters, DamagedKernelsTest,
    ::testing::Values("ncu_csv_fuzz/raw.csv", "ncu_csv_fuzz/details.csv",
                      "ncu_csv_fuzz/metric_rows.csv", "ncu_csv_fuzz/raw_crlf_bom.csv",
                      "ncu_csv_fuzz/text_table.txt", "ncu_report_fuzz/two.ncu-rep",
                      "kernel_recording_fuzz/two.strobe", "kernels_json_fuzz/two.json",
                      "rocm_fuzz/pmc_perf.csv", "rocm_fuzz/counters.csv"),
    [](const auto& file) {
      std::string name = std::filesystem::path(file.param).stem().string();
      std::replace(name.begin(), name.end(), '-', '_');
      return name + "_" + std::to_string(file.index);
    });

}  // namespace
}  // namespace strobe::readers
