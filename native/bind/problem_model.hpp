// The model of a problem written in Python: weights by name, and the searches that use them. The caller must hold the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bind/python_space.hpp"
#include "core/numbers.hpp"
#include "inference/search/engine.hpp"

namespace riata::bind {

class ProblemModel {
 public:
  ProblemModel() = default;

  // Copies the weights that are not zero, with the names that they need.
  ProblemModel(const Vocabulary& all, const Numbers<double>& weights);

  // Feature i has the name names[i] and stands alone (actions_of[i] < 0) or with actions[actions_of[i]].
  ProblemModel(const std::vector<std::string>& names, const nb::list& actions, const std::vector<std::int32_t>& actions_of,
               const std::vector<double>& weights);

  // The arguments of the constructor above.
  nb::tuple parts() const;

  // (actions, final state) of every input.
  nb::list decode(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings);

  // For every input, the goals in the last front of a search by levels, best first: (actions, final state, score).
  nb::list nbest(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings);

  // For every input (goals, steps): the goals of the last front with their probabilities, computed on the lattice of the nodes that the
  // search has kept, and the probability of each step of the first goal.
  nb::list confidences(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings,
                       double temperature);

  // For every input, of the output that the search finds: (regret minus that of the start, score, best score of a right output).
  nb::list errors(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                  const nb::dict& settings);

  // The margins of the search with these weights. Features without weights count in norms, so they are added to a copy of the vocabulary.
  nb::dict margins(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                   const nb::dict& settings) const;

  // The trace of the search for one input. If y is given, the search knows which states are y-good, and follows the settings of the
  // learner, if they are given. states_of_all: whether the states of all nodes are returned, not only those of goals.
  nb::dict trace(const nb::object& problem, const std::vector<std::string>& defined, const nb::object& x, const nb::object& y,
                 bool learning, const nb::dict& settings, const nb::object& learner, bool with_features, bool states_of_all,
                 const nb::object& bounds) const;

  std::int32_t size() const noexcept { return vocabulary_.features.weights(); }

  // Copies, for training that continues from this model.
  Vocabulary vocabulary() const;
  Numbers<double> weights() const { return weights_; }

 private:
  // Searches every input with these weights. what_of(search, space, goal) returns the result for an input.
  template <class Truth, class What>
  nb::list of_every_input(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, Truth truth_of,
                          const nb::dict& settings, What what_of);
  // Searches every input by levels, without a truth. what_of(search, space, lattice, goals of the last front) returns the result for an
  // input.
  template <class What>
  nb::list of_every_lattice(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                            const nb::dict& settings, What what_of);
  void add_action(nb::handle action);
  void add(std::string_view name, std::int32_t action, double weight);

  Vocabulary vocabulary_;
  Numbers<double> weights_;
};

}  // namespace riata::bind
