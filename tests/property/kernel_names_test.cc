#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "strobe/device/kernel_family.h"
#include "strobe/device/kernel_name.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"

// Every known kernel name and strobe's forms of it, one line each: tools/kernel_names collects the
// list, the update-golden target rewrites the answers, and a person reviews the difference.
namespace strobe::device {
namespace {

namespace fs = std::filesystem;

const fs::path kNames = STROBE_SOURCE_DIR "/tests/data/kernel_names.txt";
const fs::path kExpectedAnswers = STROBE_SOURCE_DIR "/tests/data/kernel_names_expected.txt";

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string answer_for(const std::string& name) {
  return std::string(word_of(kernel_family(name))) + " | " + classic_name(name) + " | " +
         short_name(name) + " | " + detail_name(name);
}

TEST(KernelNamesTest, each_name_has_the_forms_and_the_family_that_were_reviewed) {
  const std::vector<std::string> names = lines_of(kNames);
  ASSERT_GT(names.size(), 200U);
  std::vector<std::string> answers;
  for (const std::string& name : names) answers.push_back(answer_for(name));
  if (std::getenv("STROBE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream file(kExpectedAnswers);
    for (const std::string& answer : answers) file << answer << '\n';
    return;
  }
  const std::vector<std::string> expected = lines_of(kExpectedAnswers);
  ASSERT_EQ(answers.size(), expected.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(answers[i], expected[i]) << names[i];
}

// The result for a short name must not change if the file has more. Only CUTLASS gives everything
// the same name.
TEST(KernelNamesTest, a_full_name_belongs_to_the_family_of_its_short_one) {
  for (const std::string& name : lines_of(kNames)) {
    const std::string base = short_name(name);
    const KernelFamily family = kernel_family(base);
    if (family == KernelFamily::kOther || base == "Kernel") continue;
    EXPECT_EQ(kernel_family(name), family) << name;
  }
}

TEST(KernelNamesTest, a_name_cut_anywhere_is_still_a_name) {
  for (const std::string& name : lines_of(kNames)) {
    for (std::size_t length = 1; length < name.size(); length += 7) {
      const std::string cut = name.substr(0, length);
      EXPECT_FALSE(classic_name(cut).empty()) << cut;
      EXPECT_FALSE(short_name(cut).empty()) << cut;
      EXPECT_TRUE(detail_name(cut).starts_with(short_name(cut))) << cut;
      EXPECT_LT(kernel_family(cut), KernelFamily::kCount_) << cut;
    }
  }
}

TEST(KernelNamesTest, no_kernel_of_a_trace_is_missing_from_the_list) {
  STROBE_NEEDS_SHARED();
  const std::vector<std::string> names = lines_of(kNames);
  const std::set<std::string> known(names.begin(), names.end());
  for (const auto& entry : fs::recursive_directory_iterator(kShared)) {
    if (!entry.path().string().ends_with(".json.gz")) continue;
    const auto loaded = readers::read_trace(entry.path(), {});
    ASSERT_TRUE(loaded) << entry.path();
    const Trace& trace = loaded->trace;
    std::set<std::string> missing;
    for (std::size_t i = 0; i < trace.slice_count(); ++i) {
      const SliceId slice(i);
      if (trace.kind(slice) != SliceKind::kKernel) continue;
      if (std::string name(trace.name(slice)); !known.contains(name)) missing.insert(name);
    }
    EXPECT_EQ(missing, std::set<std::string>()) << entry.path() << ": run tools/kernel_names";
  }
}

}  // namespace
}  // namespace strobe::device
