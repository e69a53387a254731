// Outputs that are sets of parts: how sets are made, questions about arrays of scores, and weights of parts.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/model.hpp"
#include "bind/module.hpp"
#include "bind/potentials.hpp"
#include "inference/offered.hpp"
#include "inference/parts/list.hpp"
#include "inference/parts/recursion.hpp"
#include "inference/structures/part_potentials.hpp"
#include "inference/structures/part_structure.hpp"

namespace riata::bind {
namespace {

using Set = std::shared_ptr<const OutputSet>;

// Records a recursion from Python. The cells of parts come first; every sum has a row of its own.
class Recorder {
 public:
  explicit Recorder(std::int64_t parts) : parts_(parts) {
    if (parts < 0 || parts > std::numeric_limits<Cell>::max() / 2) throw Error("DataError", "an input has too many parts.");
    tape_.parts(1, static_cast<std::int32_t>(std::max<std::int64_t>(parts, 1)));
  }
  // The sum over ways of the products of their cells, times the cell `times`.
  Cell sum(const std::vector<std::vector<Cell>>& ways, std::optional<Cell> times) {
    if (closed_) throw Error("SettingError", "the recursion is recorded already.");
    std::vector<Way> found;
    for (const std::vector<Cell>& way : ways) found.push_back(as_way(way));
    if (times) check(*times);
    const Cell to = tape_.table(1, 1);
    for (std::size_t k = 0; k < found.size();) k += add_run(found.data() + k, found.size() - k, to, times.value_or(no_cell));
    return to;
  }
  std::shared_ptr<Recursion> close(Cell goal) {
    const Cell last = sum({{goal}}, std::nullopt);
    tape_.goal(last);
    closed_ = true;
    return std::make_shared<Recursion>(std::move(tape_), parts_);
  }

 private:
  void check(Cell cell) const {
    const bool is_part = cell >= 0 && cell < parts_, is_sum = cell >= tape_.parts() && cell < size() && cell % lanes == 0;
    if (!is_part && !is_sum)
      throw Error("SettingError", "a recursion names cell " + std::to_string(cell) + ", which has not been recorded yet.",
                  "Record every sum after the sums that it is made of.");
  }
  Cell size() const noexcept { return static_cast<Cell>(tape_.size()) - lanes; }
  Cell one() {
    if (one_ == no_cell) {
      one_ = tape_.table(1, 1);
      tape_.one(one_);
    }
    return one_;
  }
  Way as_way(const std::vector<Cell>& cells) {
    for (const Cell cell : cells) check(cell);
    const auto at = [&](std::size_t k) { return k < cells.size() ? cells[k] : one(); };
    if (cells.size() <= 2) return {at(0), at(1), no_cell};
    Cell product = cells[0];
    for (std::size_t k = 1; k + 2 < cells.size(); ++k) {
      const Cell next = tape_.table(1, 1);
      tape_.add({.to = next, .a = {product, 0}, .b = {cells[k], 0}});
      product = next;
    }
    return {product, cells[cells.size() - 2], cells.back()};
  }
  // Adds the first ways that have the same distance from each other as one run, and returns how many these are.
  std::size_t add_run(const Way* ways, std::size_t most, Cell to, Cell times) {
    const bool three = ways[0].c != no_cell;
    std::size_t count = 1;
    Cell a = 0, b = 0, c = 0;
    for (; count < most && (ways[count].c != no_cell) == three; ++count) {
      const Way &before = ways[count - 1], &here = ways[count];
      if (count == 1) a = here.a - before.a, b = here.b - before.b, c = here.c - before.c;
      if (here.a - before.a != a || here.b - before.b != b || here.c - before.c != c) break;
    }
    tape_.add({.to = to,
               .count = static_cast<std::int32_t>(count),
               .a = {ways[0].a, a},
               .b = {ways[0].b, b},
               .c = {ways[0].c, c},
               .weight = times});
    return count;
  }

  Tape tape_;
  std::int64_t parts_;
  Cell one_ = no_cell;
  bool closed_ = false;
};

// Outputs that only a function of the user's knows: it returns the numbers of the parts of the best one for an array of scores.
class Solved final : public OutputSet {
 public:
  Solved(nb::object best, std::int64_t parts) : best_(std::move(best)), parts_(parts) {}
  std::int64_t parts() const noexcept override { return parts_; }
  std::unique_ptr<PartSolver> solver() const override;
  const nb::object& best() const noexcept { return best_; }

 private:
  nb::object best_;
  std::int64_t parts_;
};

class SolvedInPython final : public PartSolver {
 public:
  void open(const OutputSet& set, std::span<const double> scores) override {
    set_ = &static_cast<const Solved&>(set);
    scores_ = scores;
  }
  std::optional<double> best(std::vector<std::int32_t>& parts) override {
    const nb::gil_scoped_acquire acquire;
    auto found = nb::cast<std::vector<std::int64_t>>(set_->best()(give(std::vector<double>(scores_.begin(), scores_.end()))));
    std::ranges::sort(found);
    double score = 0;
    parts.clear();
    for (const std::int64_t part : found) {
      if (part < 0 || part >= set_->parts() || (!parts.empty() && part == parts.back()))
        throw Error("DataError", "best() returned parts that there are not, or a part twice.");
      parts.push_back(static_cast<std::int32_t>(part));
      score += scores_[static_cast<std::size_t>(part)];
    }
    return score;
  }

 private:
  const Solved* set_ = nullptr;
  std::span<const double> scores_;
};

std::unique_ptr<PartSolver> Solved::solver() const { return std::make_unique<SolvedInPython>(); }

std::unique_ptr<PartSolver> opened(const OutputSet& set, const In<double>& scores) {
  if (static_cast<std::int64_t>(scores.shape(0)) != set.parts())
    throw Error("DataError", "there are " + std::to_string(scores.shape(0)) + " scores for " + std::to_string(set.parts()) + " parts.");
  for (const double score : view(scores)) {
    if (std::isnan(score) || score == std::numeric_limits<double>::infinity())
      throw Error("DataError", "a score is not a number, or infinite.", "Minus infinity forbids a part.");
  }
  std::unique_ptr<PartSolver> solver = set.solver();
  solver->open(set, view(scores));
  return solver;
}

using Found = std::vector<std::pair<std::vector<std::int32_t>, double>>;

Found best_sets(const OutputSet& set, const In<double>& scores, std::int64_t k) {
  const std::unique_ptr<PartSolver> solver = opened(set, scores);
  Found found;
  std::vector<std::int32_t> parts;
  if (k > 1) solver->open_list();
  for (std::int64_t n = 0; n < k; ++n) {
    const std::optional<double> score = k > 1 ? solver->next(parts) : solver->best(parts);
    if (!score) break;
    std::ranges::sort(parts);
    found.emplace_back(parts, *score);
    if (n % 1000 == 999 && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return found;
}

nb::tuple sums_of(const OutputSet& set, const In<double>& scores) {
  const std::unique_ptr<PartSolver> solver = opened(set, scores);
  std::vector<double> shares(scores.shape(0));
  const double log_z = solver->sums(shares);
  return nb::make_tuple(log_z, give(std::move(shares)));
}

std::vector<std::vector<std::int32_t>> drawn(const OutputSet& set, const In<double>& scores, std::int64_t count, std::uint64_t seed) {
  const std::unique_ptr<PartSolver> solver = opened(set, scores);
  std::vector<double> shares(scores.shape(0));
  std::vector<std::vector<std::int32_t>> out;
  if (std::isinf(solver->sums(shares))) return out;
  Rng rng(seed);
  for (std::int64_t n = 0; n < count; ++n) {
    solver->draw(rng, out.emplace_back());
    std::ranges::sort(out.back());
  }
  return out;
}

// For codes that are no output, those of the output that differs from them at the fewest places; where several do, one of them.
Out<std::int32_t> closest(const Instances& instances, const Outputs& gold, std::int32_t labels) {
  std::vector<std::int32_t> codes = copy(gold), parts;
  std::vector<double> scores;
  OpenSet sets;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const auto first = static_cast<std::size_t>(instances.starts[static_cast<std::size_t>(s)]);
    const auto length = static_cast<std::size_t>(instances.length(s));
    scores.assign(length * static_cast<std::size_t>(labels), -1);
    for (std::size_t t = 0; t < length; ++t) {
      if (codes[first + t] != 0) std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(t) * labels, labels, 0.0);
      if (codes[first + t] != 0) scores[t * static_cast<std::size_t>(labels) + static_cast<std::size_t>(codes[first + t]) - 1] = 1;
    }
    if (length == 0 || !sets.open(*instances.sets[static_cast<std::size_t>(s)], scores).best(parts)) continue;
    std::fill_n(codes.begin() + static_cast<std::ptrdiff_t>(first), length, 0);
    for (const std::int32_t part : parts) codes[first + static_cast<std::size_t>(part / labels)] = 1 + part % labels;
  }
  return give(std::move(codes));
}

void set_outputs(Instances& instances, std::vector<Set> sets, const In<float>& costs) {
  const bool fits = static_cast<std::int64_t>(sets.size()) == instances.sentences() &&
                    (costs.shape(0) == 0 || static_cast<std::int64_t>(costs.shape(0)) == instances.tokens());
  if (!fits) throw Error("RiataError", "the sets of outputs do not fit the sentences");
  instances.sets = std::move(sets);
  instances.costs = copy(costs);
}

void bind_base(nb::module_& m) {
  nb::class_<OutputSet>(m, "OutputSet", "Which sets of the parts of one input are outputs.")
      .def_prop_ro("parts", &OutputSet::parts, "The number of parts.")
      .def("best", &best_sets, nb::arg("scores"), nb::arg("k") = 1, "The k best outputs: numbers of parts and the sum of their scores.")
      .def("sums", &sums_of, nb::arg("scores"), "log Z over all outputs, and the probability of every part.")
      .def("draw", &drawn, nb::arg("scores"), nb::arg("count"), nb::arg("seed"), "Outputs, drawn by their probabilities.");
}

void bind_sets(nb::module_& m) {
  nb::class_<Recursion, OutputSet>(m, "Recursion", "Outputs by a dynamic program that was recorded.");
  nb::class_<CandidateList, OutputSet>(m, "CandidateList", "Outputs of one part each.").def(nb::init<std::int64_t>(), nb::arg("parts"));
  nb::class_<Solved, OutputSet>(m, "Solved", "Outputs that a function in Python knows: it returns the best one for an array of scores.")
      .def(nb::init<nb::object, std::int64_t>(), nb::arg("best"), nb::arg("parts"));
  nb::class_<Recorder>(m, "Recorder", "Records a recursion: sums of products of cells, from parts up to whole outputs.")
      .def(nb::init<std::int64_t>(), nb::arg("parts"))
      .def("sum", &Recorder::sum, nb::arg("ways"), nb::arg("times").none() = nb::none(),
           "A cell that is the sum over ways of the products of their cells, times one more cell.")
      .def("close", &Recorder::close, nb::arg("goal"), "The recursion whose outputs are the ways to this cell.");
  m.def("set_outputs", &set_outputs, nb::arg("instances"), nb::arg("sets"), nb::arg("costs"),
        "Sets the outputs that each sentence can have, and what an error at each place costs.");
  m.def("closest_outputs", &closest, nb::arg("instances"), nb::arg("gold"), nb::arg("labels"),
        "For codes that are no output, those of the output that differs at the fewest places.");
}

template <class Real>
void bind_precision(nb::module_& m, const std::string& suffix) {
  nb::class_<PartModel<Real>, Model<Real>>(m, ("PartWeights" + suffix).c_str(), "The weights of the features of parts.")
      .def(nb::init<std::int32_t, std::int64_t>(), nb::arg("labels"), nb::arg("features"))
      .def(
          "scores",
          [](const PartModel<Real>& self, const Instances& instances) {
            if (self.row(instances.named_size) > static_cast<std::int64_t>(self.weights.size()))
              throw Error("RiataError", "the instances do not fit the weights");
            std::vector<double> all, some;
            for (std::int64_t s = 0; s < instances.sentences(); ++s) {
              score_parts(instances, s, self.labels(), self.weights.data(), 1, some);
              all.insert(all.end(), some.begin(), some.end());
            }
            return give(std::move(all));
          },
          nb::arg("instances"), "The scores of all parts of all sentences.");
  define_potentials<PartPotentials<Real>, Real, PartModel>(m, "PartPotentials" + suffix, "The scores of parts as functions of all weights.",
                                                           [](const PartPotentials<Real>&, auto&& model) { return std::move(model); })
      .def(
          "__init__",
          [](PartPotentials<Real>* self, const FeatureIndex& index, const PartModel<Real>& like, const Instances& instances,
             const Outputs& gold, const std::string& pairs) {
            like.check({index, instances, view(gold)}, like.weights.size());
            new (self) PartPotentials<Real>(like, instances, view(gold), as_feature_labels(pairs));
          },
          nb::arg("index"), nb::arg("like"), nb::arg("instances"), nb::arg("gold"), nb::arg("pairs"), nb::keep_alive<1, 4>());
}

void parts(nb::module_& m) {
  bind_sets(m);
  bind_precision<float>(m, "");
  bind_precision<double>(m, "64");
}

const Bindings base(bind_base, Bindings::Part::bases), entered(parts);

// What needs a list or a sum, a function that returns the best output does not give.
std::set<std::string> of_solved() {
  std::set<std::string> offered = operations_of<PartStructure<float>>();
  for (const char* missing : {"k best", "expected features", "posteriors", "single weights"}) offered.erase(missing);
  return offered;
}
const RegisteredStructure solved("solved", of_solved());

}  // namespace
}  // namespace riata::bind
