// Sets of parts: of a recursion, with one label and with several; and single candidates.
#include <algorithm>
#include <array>
#include <functional>

#include "inference/parts/list.hpp"
#include "inference/parts/matching.hpp"
#include "inference/parts/recursion.hpp"
#include "inference/structures/part_structure.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {
namespace {

// No two neighbouring places have parts: the sum over the labels of the last place, behind anything that ends two places earlier.
std::shared_ptr<const OutputSet> no_neighbours(std::int32_t length, std::int32_t labels) {
  Tape tape;
  tape.parts(1, length * labels);
  const Cell one = tape.table(1, 1);
  tape.one(one);
  std::vector<Cell> until{one, one};  // one place earlier than the first, too
  for (std::int32_t t = 0; t < length; ++t) {
    const Cell to = tape.table(1, 1);
    tape.add({.to = to, .a = {until.back(), 0}, .b = {one, 0}});
    tape.add({.to = to, .count = labels, .a = {t * labels, 1}, .b = {until[until.size() - 2], 0}});
    until.push_back(to);
  }
  tape.goal(until.back());
  return std::make_shared<Recursion>(std::move(tape), length * labels);
}

bool has_no_neighbours(const Output& output) {
  for (std::size_t t = 1; t < output.size(); ++t) {
    if (output[t] != 0 && output[t - 1] != 0) return false;
  }
  return true;
}
bool has_one(const Output& output) { return std::ranges::count(output, 0) + 1 == static_cast<std::int64_t>(output.size()); }

using IsOutput = std::function<bool(const Output&)>;

// Places are the cells of a table, row by row.
struct Shape {
  std::int32_t columns, row_room, column_room;
};
IsOutput matches(const Shape& shape) {
  return [=](const Output& output) {
    std::array<std::int32_t, 64> rows{}, columns{};
    for (std::size_t t = 0; t < output.size(); ++t) {
      if (output[t] == 0) continue;
      const auto across = static_cast<std::size_t>(shape.columns);
      if (++rows.at(t / across) > shape.row_room || ++columns.at(t % across) > shape.column_room) return false;
    }
    return true;
  };
}
std::shared_ptr<const OutputSet> matching(std::int32_t length, const Shape& shape) {
  std::vector<Link> links;
  for (std::int32_t t = 0; t < length; ++t) links.push_back({t / shape.columns, t % shape.columns});
  const auto rows = static_cast<std::size_t>(length / shape.columns + 1), columns = static_cast<std::size_t>(shape.columns);
  return std::make_shared<Matching>(links, std::vector(rows, shape.row_room), std::vector(columns, shape.column_room),
                                    std::vector<std::int32_t>{}, false);
}

std::vector<Output> all_codes(std::int32_t length, std::int32_t labels, const IsOutput& is_output) {
  std::vector<Output> all{{}};
  for (std::int32_t t = 0; t < length; ++t) {
    std::vector<Output> longer;
    for (const Output& output : all) {
      for (std::int32_t code = 0; code <= labels; ++code) {
        longer.push_back(output);
        longer.back().push_back(code);
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const Output& output) { return !is_output(output); });
  return all;
}

using MakeSet = std::function<std::shared_ptr<const OutputSet>(std::int32_t length)>;

Case enumerated_parts(Rng& rng, const std::string& name, std::int32_t labels, const MakeSet& made, const IsOutput& is_output) {
  constexpr std::int32_t features = 9;
  auto out = std::make_unique<Enumerated>(name, FeatureIndex({}, {}, 0, false));
  Instances& in = out->instances;
  in.starts = RandomSentences(rng, 2, [](const auto&) { return 0; }).starts;
  in.named_starts.push_back(0);
  for (std::int64_t t = 0; t < in.tokens(); ++t) {
    for (std::uint64_t k = rng.below(4); k > 0; --k) {
      in.named_ids.push_back(static_cast<std::int32_t>(rng.below(features)));
      in.named_values.push_back(static_cast<float>(random_number(rng)));
    }
    in.named_ids.push_back(features + static_cast<std::int32_t>(t));  // one of its own, so that no outputs have equal scores
    in.named_values.push_back(1);
    in.named_starts.push_back(static_cast<std::int64_t>(in.named_ids.size()));
  }
  in.named_size = features + static_cast<std::int32_t>(in.tokens());
  for (std::int64_t s = 0; s < in.sentences(); ++s) {
    const auto length = static_cast<std::int32_t>(in.length(s));
    in.sets.push_back(made(length));
    const std::vector<Output> all = all_codes(length, labels, is_output);
    if (length == 0) continue;
    const Output& truth = all[rng.below(all.size())];
    out->gold.insert(out->gold.end(), truth.begin(), truth.end());
  }
  out->model = std::make_unique<PartModel<double>>(labels, 0);
  out->outputs = [=](std::int32_t length) { return all_codes(length, labels, is_output); };
  out->loss = [](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t) wrong += gold[t] != output[t];
    return wrong;
  };
  list_outputs(*out, rng);
  return out;
}

std::vector<Case> parts(Rng& rng) {
  std::vector<Case> out;
  for (const std::int32_t labels : {1, 2}) {
    const auto made = [=](std::int32_t length) { return no_neighbours(length, labels); };
    out.push_back(enumerated_parts(rng, "recursion", labels, made, has_no_neighbours));
  }
  out.push_back(enumerated_parts(rng, "list", 1, [](std::int32_t length) { return std::make_shared<CandidateList>(length); }, has_one));
  for (const Shape& shape : {Shape{2, 1, 1}, Shape{3, 1, 1}, Shape{3, 2, 1}, Shape{2, 2, 2}, Shape{3, 1, 2}}) {
    const auto made = [=](std::int32_t length) { return matching(length, shape); };
    out.push_back(enumerated_parts(rng, "matching", 1, made, matches(shape)));
  }
  return out;
}

const RegisteredCases entered(parts);

}  // namespace
}  // namespace riata::test
