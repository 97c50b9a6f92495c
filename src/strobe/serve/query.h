#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/base/result.h"

namespace strobe::serve {

// The decoded text after the '?'. Every error is a kInvalidArgument that names the parameter.
class Query {
 public:
  using Parameters = std::multimap<std::string, std::string, std::less<>>;

  explicit Query(Parameters parameters) : parameters_(std::move(parameters)) {}

  Result<std::string> text(std::string_view name) const;  // an error if absent
  std::optional<std::string> optional_text(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  Result<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most) const;
  Result<std::int64_t> integer_or(std::string_view name, std::int64_t fallback, std::int64_t least,
                                  std::int64_t most) const;
  // Nothing if absent; else above `least`, up to `most`.
  Result<std::optional<double>> number(std::string_view name, double least, double most) const;
  // "4,5,9"; nothing if absent.
  Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view name) const;

 private:
  Parameters parameters_;
};

}  // namespace strobe::serve
