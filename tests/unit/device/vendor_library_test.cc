#include "strobe/device/vendor_library.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace strobe::device {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

// A toolkit and a Python environment made by the test and named by the environment.
class LibraryPlaces : public ::testing::Test {
 protected:
  LibraryPlaces() {
    for (std::size_t i = 0; i < kVariables.size(); ++i) {
      if (const char* value = std::getenv(kVariables.at(i))) before_.at(i) = value;
    }
    setenv("CUDA_HOME", (folder_.path() / "toolkit").c_str(), 1);
    setenv("VIRTUAL_ENV", (folder_.path() / "venv").c_str(), 1);
  }
  ~LibraryPlaces() override {
    for (std::size_t i = 0; i < kVariables.size(); ++i) {
      const auto& value = before_.at(i);
      value ? setenv(kVariables.at(i), value->c_str(), 1) : unsetenv(kVariables.at(i));
    }
  }

  std::string put(const std::string& below, const std::string& soname) {
    const fs::path path = folder_.path() / below / soname;
    fs::create_directories(path.parent_path());
    strobe::testing::put_bytes(path, "");
    return path.string();
  }

 private:
  static constexpr std::array<const char*, 2> kVariables = {"CUDA_HOME", "VIRTUAL_ENV"};
  std::array<std::optional<std::string>, 2> before_;
  strobe::testing::TemporaryFolder folder_;
};

TEST_F(LibraryPlaces, the_loaders_own_come_first) {
  put("toolkit/lib64", "libcudnn.so.9");
  EXPECT_EQ(library_places(Library::kCudnn).front(), "libcudnn.so.9");
}

TEST_F(LibraryPlaces, a_toolkit_and_pythons_packages_are_searched) {
  const std::string packages = "venv/lib/python3.12/site-packages/nvidia/";
  for (const std::string& below :
       {std::string("toolkit/lib64"), std::string("toolkit/targets/sbsa-linux/lib"),
        packages + "cuda_nvrtc/lib", packages + "cu13/lib"}) {
    const std::string place = put(below, "libnvrtc.so.13");
    EXPECT_THAT(library_places(Library::kNvrtc), Contains(place).Times(1));
  }
  EXPECT_THAT(library_places(Library::kCupti),
              Contains(put("toolkit/extras/CUPTI/lib64", "libcupti.so.12")));
}

TEST_F(LibraryPlaces, a_python_may_be_searched_by_itself) {
  const std::string old_place =
      put("own/lib/python3.12/dist-packages/nvidia/cuda_cupti/lib", "libcupti.so.12");
  const std::string own = old_place.substr(0, old_place.find("/lib/python3.12"));
  EXPECT_EQ(library_places_of_python(Library::kCupti, own), std::vector{old_place});
  const std::string new_place =
      put("own/lib/python3.12/site-packages/nvidia/cu13/lib", "libcupti.so.13");
  EXPECT_EQ(library_places_of_python(Library::kCupti, own), (std::vector{new_place, old_place}));
  EXPECT_TRUE(library_places_of_python(Library::kCupti, own + "/elsewhere").empty());
}

TEST_F(LibraryPlaces, a_library_newer_than_the_driver_is_the_last_resort) {
  const auto places = library_places(Library::kNvrtc, 12);
  const auto at = [&](const char* name) {
    return std::ranges::find(places, name) - places.begin();
  };
  EXPECT_LT(at("libnvrtc.so.12"), at("libnvrtc.so.11.2"));
  EXPECT_LT(at("libnvrtc.so.11.2"), at("libnvrtc.so.13"));
  EXPECT_LT(at("libnvrtc.so.13"), static_cast<std::ptrdiff_t>(places.size()));
  EXPECT_EQ(library_places(Library::kNvrtc, 13).front(), "libnvrtc.so.13");
}

TEST(OpenLibrary, what_the_loader_does_not_find_is_not_found) {
  const auto library = OpenLibrary::at("libno_such_thing.so.1");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(library.error().where, "libno_such_thing.so.1");
}

TEST(OpenLibrary, a_call_that_is_needed_is_named_where_it_is_absent_and_others_are_not) {
  auto library = OpenLibrary::at("libm.so.6");
  ASSERT_TRUE(library);
  double (*cosine)(double) = nullptr;
  library->need(cosine, "cos");
  ASSERT_NE(cosine, nullptr);
  EXPECT_EQ(cosine(0), 1);
  EXPECT_THAT(library->path(), HasSubstr("/libm.so"));

  void (*absent)() = nullptr;
  library->want(absent, "cosOfATest");
  EXPECT_EQ(absent, nullptr);
  EXPECT_TRUE(library->check_complete("a library of mathematics"));
  library->need(absent, "cosOfATest");
  library->need(absent, "sinOfATest");
  const auto complete = library->check_complete("a library of mathematics");
  ASSERT_FALSE(complete);
  EXPECT_EQ(complete.error().what, "is not a library of mathematics (it has no cosOfATest)");
  EXPECT_EQ(complete.error().where, "libm.so.6");
}

TEST(OpenLibrary, the_first_place_that_is_liked_is_taken) {
  std::vector<std::string> asked;
  const auto taken = open_library(Library::kCudnn, kAnyCuda, [&](const std::string& place) {
    asked.push_back(place);
    return place == "libcudnn.so.8"
               ? Result<std::string>(place)
               : Error{ErrorCode::kNotFound, "cannot be opened as a library", place, ""};
  });
  ASSERT_TRUE(taken);
  EXPECT_EQ(*taken, "libcudnn.so.8");
  EXPECT_EQ(asked.front(), "libcudnn.so.9");
}

TEST(OpenLibrary, where_there_is_none_the_names_and_the_way_out_are_told) {
  const auto none = open_library(Library::kNvrtc, kAnyCuda, [](const std::string& place) {
    return Result<int>(Error{ErrorCode::kNotFound, "cannot be opened as a library", place, ""});
  });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kMachineLacks);
  EXPECT_EQ(none.error().what,
            "there is no run-time compiler for CUDA on this machine (libnvrtc.so.13, "
            "libnvrtc.so.12, libnvrtc.so.11.2 are missing)");
  EXPECT_THAT(none.error().hint, HasSubstr("set CUDA_HOME to where one is"));
  EXPECT_EQ(no_library(Library::kCudaDriver, std::nullopt).what,
            "there is no CUDA driver on this machine (libcuda.so.1 is missing)");
}

TEST(OpenLibrary, one_that_is_there_and_will_not_do_is_named) {
  const auto none = open_library(Library::kCudnn, kAnyCuda, [](const std::string& place) {
    const bool is_there = place == "libcudnn.so.8";
    return Result<int>(Error{is_there ? ErrorCode::kMachineLacks : ErrorCode::kNotFound,
                             "is not cuDNN of version 9 or newer (it is cuDNN 8.9.7)", place, ""});
  });
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what,
            "no cuDNN on this machine can be used: libcudnn.so.8 is not cuDNN of version 9 or "
            "newer (it is cuDNN 8.9.7)");
  EXPECT_THAT(none.error().hint, HasSubstr("CUDNN_HOME"));
}

}  // namespace
}  // namespace strobe::device
