#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"

// The door between the tools and the analyses. Tools compute no number: they ask the questions of
// docs/api.md and choose what an agent reads of the answers.
namespace strobe::agents {

// How a caller looks at a call while it runs. Either function may be null.
struct Watch {
  std::function<bool()> is_cancelled = nullptr;
  // A share from 0 to 1 that only grows, and what is being done.
  std::function<void(double share, std::string_view what)> progress = nullptr;

  bool over() const { return is_cancelled && is_cancelled(); }
};

// What a name stands for: a trace, the traces of a run, or a list of kernels.
struct Source {
  std::string name;
  std::vector<std::string> traces;  // as /api/v1/runs lists them
  bool is_kernel_list = false;      // then there are no traces
};

class Lab {
 public:
  using Parameters = std::multimap<std::string, std::string, std::less<>>;

  virtual ~Lab() = default;

  // The JSON of /api/v1/<route>. Waits until the traces that it is about are loaded.
  // kInvalidArgument, kNotFound: the question is wrong; else the data or the machine cannot answer.
  virtual Result<std::string> ask(std::string_view route, const Parameters& parameters,
                                  const Watch& watch) = 0;

  // A name, or a path below the folders that were given at the start; "" is the only trace or run
  // that there is.
  virtual Result<Source> find(const std::string& typed) = 0;

  // Where the web page is: "http://127.0.0.1:6007/", or "" if there is none.
  virtual std::string page() const = 0;
};

}  // namespace strobe::agents
