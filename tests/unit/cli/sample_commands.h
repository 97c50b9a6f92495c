#pragma once

#include "strobe/cli/command.h"

// Commands for tests of the texts that are made from a command's spec.
namespace strobe::cli {

inline Command a_painting_verb() {
  return {.name = "paint",
          .summary = "paints - slowly",
          .positionals = "FILE...",
          .positionals_help = "what to paint",
          .examples = {{"strobe paint a", "paints a"}, {"strobe paint -q b", "paints b"}},
          .notes = {".a note that starts like a command of roff"},
          .flags = {flag("--shade S",
                         "a help that is long enough to need a second line when the page is as "
                         "narrow as sixty columns",
                         {.take = {}, .choices = {"dark", "light"}}),
                    flag("--[no-]detail", "detail", {.take = {}})}};
}

inline Command a_verb_with_actions() {
  Command build = a_painting_verb();
  build.name = "wall build";
  build.summary = "builds";
  Command demolish = {.name = "wall demolish", .summary = "breaks it down", .examples = {}};
  return {.name = "wall",
          .summary = "about walls",
          .examples = {{"strobe wall build b", "builds b"}},
          .actions = {build, demolish},
          .usual_action = "build"};
}

}  // namespace strobe::cli
