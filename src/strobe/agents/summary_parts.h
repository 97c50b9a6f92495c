#pragma once

#include <string>
#include <string_view>

#include "strobe/agents/toolbox.h"

// What several tools take from the document of `strobe summary`.
namespace strobe::agents {

struct Summarized {
  Source source;
  std::string document;  // of `strobe summary --format json`
  std::string command;   // that prints it

  bool is_snapshot() const;  // of an allocator: it tells memory and nothing else
  bool has_table(std::string_view key) const;
  // "strobe summary run --views kernel".
  std::string evidence(std::string_view view) const;
};

// The summary of what the argument `name` says; an error if that is a list of kernels.
Result<Summarized> summarize_source(const ToolCall& call, std::string_view argument);

// The one trace that an argument names; an error for a run of several.
Result<Source> one_trace(const ToolCall& call, std::string_view argument);

// "source" and, of the summary, "facts" and "health".
void add_head(Answer& answer, const Summarized& summarized);

// What is wrong with the recording, and what it lacks.
void add_health_gaps(Answer& answer, const Summarized& summarized);
bool has_device_work(const Summarized& summarized);
bool has_steps(const Summarized& summarized);
void add_device_gap(Answer& answer);
void add_step_gap(Answer& answer);

// The traces, as parameters of the API.
Lab::Parameters parameters_of(const Source& source);

}  // namespace strobe::agents
