#include "strobe/readers/databases/work_args.h"

#include <span>
#include <string>
#include <string_view>

#include "strobe/base/hash.h"
#include "strobe/base/json_write.h"

namespace strobe::readers {
namespace {

std::uint64_t mix_value(std::uint64_t hash, std::int64_t value) {
  return fnv1a(hash, static_cast<std::uint64_t>(value));
}

std::uint64_t hash_of_place(const WorkPlace& place) {
  std::uint64_t hash = kFnvStart;
  for (const std::int64_t value :
       {place.device, place.context, place.stream, place.graph, place.node}) {
    hash = mix_value(hash, value);
  }
  return hash;
}

void write_work_place(const WorkPlace& place, JsonWriter& json) {
  json.member("device", place.device)
      .member("context", place.context)
      .member("stream", place.stream);
}

void write_work_graph(const WorkPlace& place, JsonWriter& json) {
  if (place.graph != 0) json.member("graph id", place.graph);
  if (place.node != 0) json.member("graph node id", place.node);
}

void write_work_sides(std::string_view key, std::span<const std::int64_t> sides, JsonWriter& json) {
  json.key(key).begin_array();
  for (const std::int64_t side : sides) json.value(side);
  json.end_array();
}

}  // namespace

std::size_t WorkArgs::Hash::operator()(const WorkPlace& place) const noexcept {
  return hash_of_place(place);
}

std::size_t WorkArgs::Hash::operator()(const KernelShape& shape) const noexcept {
  std::uint64_t hash =
      mix_value(mix_value(hash_of_place(shape), shape.registers), shape.shared_bytes);
  for (const std::int64_t side : shape.sides) hash = mix_value(hash, side);
  return hash ^ (hash >> 32);
}

std::size_t WorkArgs::Hash::operator()(const CopyShape& shape) const noexcept {
  const std::uint64_t hash = mix_value(hash_of_place(shape), shape.bytes);
  return hash ^ (hash >> 32);
}

ArgsId WorkArgs::keep(const WorkPlace& place) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_work_place(place, json);
  write_work_graph(place, json);
  json.end_object();
  return sink_.keep(text);
}

ArgsId WorkArgs::keep(const KernelShape& shape) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_work_place(shape, json);
  json.member("registers per thread", shape.registers).member("shared memory", shape.shared_bytes);
  const std::span<const std::int64_t> sides = shape.sides;
  write_work_sides("grid", sides.first(3), json);
  write_work_sides("block", sides.last(3), json);
  write_work_graph(shape, json);
  json.end_object();
  return sink_.keep(text);
}

ArgsId WorkArgs::keep(const CopyShape& shape) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_work_place(shape, json);
  json.member("bytes", shape.bytes);
  write_work_graph(shape, json);
  json.end_object();
  return sink_.keep(text);
}

}  // namespace strobe::readers
