#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Pickles of plain data, written by hand: each function returns the instructions for one value.
namespace strobe::sketch {

inline std::string little(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
  return out;
}

inline std::string text(std::string_view value) {
  return "X" + little(value.size(), 4) + std::string(value);
}

inline std::string whole(std::int64_t value) {
  return "\x8a\x08" + little(static_cast<std::uint64_t>(value), 8);
}

inline std::string list(const std::vector<std::string>& items) {
  if (items.empty()) return "]";
  std::string out = "](";
  for (const std::string& item : items) out += item;
  return out + "e";
}

using Member = std::pair<std::string_view, std::string>;

inline std::string dict(const std::vector<Member>& members) {
  if (members.empty()) return "}";
  std::string out = "}(";
  for (const auto& [key, value] : members) out += text(key) + value;
  return out + "u";
}

inline std::string again(std::uint64_t number) { return "h" + little(number, 1); }

inline std::string pickle(const std::string& value) { return "\x80\x04" + value + "."; }

inline std::string frame(std::string_view function, std::string_view file, std::int64_t line) {
  return dict({{"name", text(function)}, {"filename", text(file)}, {"line", whole(line)}});
}

inline std::string event(std::string_view action, std::int64_t address, std::int64_t bytes,
                         std::int64_t time_us = -1, const std::string& frames = "]") {
  std::vector<Member> members = {{"action", text(action)},
                                 {action == "oom" ? "device_free" : "addr", whole(address)},
                                 {"size", whole(bytes)},
                                 {"stream", whole(0)},
                                 {"frames", frames}};
  if (time_us >= 0) members.emplace_back("time_us", whole(time_us));
  return dict(members);
}

inline std::string block(std::string_view state, std::int64_t address, std::int64_t bytes,
                         std::int64_t requested, const std::string& frames = "]") {
  return dict({{"address", whole(address)},
               {"size", whole(bytes)},
               {"requested_size", whole(requested)},
               {"state", text(state)},
               {"frames", frames}});
}

inline std::string segment(std::int64_t device, std::int64_t address, std::int64_t bytes,
                           std::string_view type, const std::vector<std::string>& blocks) {
  return dict({{"device", whole(device)},
               {"address", whole(address)},
               {"total_size", whole(bytes)},
               {"stream", whole(0)},
               {"segment_type", text(type)},
               {"segment_pool_id", "(" + whole(0) + whole(0) + "t"},
               {"is_expandable", "\x89"},
               {"frames", "]"},
               {"blocks", list(blocks)}});
}

inline std::string snapshot(const std::vector<std::string>& segments,
                            const std::vector<std::vector<std::string>>& histories) {
  std::vector<std::string> lists;
  for (const auto& history : histories) lists.push_back(list(history));
  return pickle(dict({{"segments", list(segments)},
                      {"device_traces", list(lists)},
                      {"allocator_settings", dict({{"max_split_size", whole(-1)}})}}));
}

// One device. Before the history lives A (100 bytes, freed in it) and B (200 bytes, never freed);
// the history allocates C (1000, freed) and D (50, alive). The peak of 1350 comes after event 1.
inline std::string small_snapshot(bool has_times = true) {
  const auto time = [&](std::int64_t time_us) { return has_times ? time_us : -1; };
  const std::string train = list({frame("forward", "/usr/lib/python3/dist-packages/nn.py", 3),
                                  frame("train", "/app/train.py", 7)});
  return snapshot(
      {segment(
          0, 4096, 2097152, "small",
          {block("inactive", 4096, 512, 0), block("active_allocated", 4608, 512, 200, train),
           block("active_allocated", 5120, 512, 50, train), block("inactive", 5632, 2095616, 0)})},
      {{event("alloc", 8192, 1000, time(10), train), event("alloc", 5120, 50, time(20), train),
        event("free_requested", 4096, 100, time(30)), event("free_completed", 4096, 100, time(31)),
        event("free_requested", 8192, 1000, time(40)),
        event("free_completed", 8192, 1000, time(41)), event("oom", 777, 5000, time(50), train)}});
}

}  // namespace strobe::sketch
