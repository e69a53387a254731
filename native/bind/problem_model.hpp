// The model of a problem written in Python: weights by name, and the searches that they decide. Holds the GIL.
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

  // The weights that are not zero, with the names that they need.
  ProblemModel(const Vocabulary& all, const Numbers<double>& weights);

  // Feature i has the name names[i] and stands alone (actions_of[i] < 0) or with actions[actions_of[i]].
  ProblemModel(const std::vector<std::string>& names, const nb::list& actions, const std::vector<std::int32_t>& actions_of,
               const std::vector<double>& weights);

  // What the constructor takes.
  nb::tuple parts() const;

  // (actions, final state) of every input.
  nb::list decode(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings);

  // Of every input the goals that the last front of a search by levels holds, best first: (actions, final state, score).
  nb::list nbest(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings);

  // For every input (goals, steps): the goals of the last front with probabilities, by the lattice of the nodes that the search kept, and
  // the probability of each step of the first goal.
  nb::list confidences(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::dict& settings,
                       double temperature);

  // (regret above that of the start, score, best score of a right output) of what the search finds for every input.
  nb::list errors(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                  const nb::dict& settings);

  // The margins of the search with these weights. Features that have no weight count in norms, so they enter a vocabulary: a copy.
  nb::dict margins(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, const nb::list& outputs,
                   const nb::dict& settings) const;

  // What the search for one input did. With y, y-good is known, and the learner's settings, where given, are followed. states_of_all: give
  // the states of all nodes, not only those of goals.
  nb::dict trace(const nb::object& problem, const std::vector<std::string>& defined, const nb::object& x, const nb::object& y,
                 bool learning, const nb::dict& settings, const nb::object& learner, bool with_features, bool states_of_all) const;

  std::int32_t size() const noexcept { return vocabulary_.features.weights(); }

  // Copies, for training that goes on from here.
  Vocabulary vocabulary() const;
  Numbers<double> weights() const { return weights_; }

 private:
  // Searches every input with these weights; what_of(search, space, goal) says what to give for it.
  template <class Truth, class What>
  nb::list of_every_input(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs, Truth truth_of,
                          const nb::dict& settings, What what_of);
  // Searches every input by levels, without a truth; what_of(search, space, lattice, goals of the last front) says what to give for it.
  template <class What>
  nb::list of_every_lattice(const nb::object& problem, const std::vector<std::string>& defined, const nb::list& inputs,
                            const nb::dict& settings, What what_of);
  void add_action(nb::handle action);
  void add(std::string_view name, std::int32_t action, double weight);

  Vocabulary vocabulary_;
  Numbers<double> weights_;
};

}  // namespace riata::bind
