// Weights and the running sum that gives their average, each update touching only what it changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/weights.hpp"

namespace riata {

// Daumé's thesis ch. 2, Fig. 2.3: the average over the initial weights and those after every example is
// w - u / c, where each update d made at count c adds d to w and c·d to u. The count ticks on every example.
template <class Real>
class Averaged {
 public:
  explicit Averaged(Weights<Real> initial) : current(std::move(initial)), sum_(current.labels) {}

  void grow(const FeatureIndex& index, std::int32_t given_size) {
    current.grow(index, given_size);
    sum_.grow(index, given_size);
    if (sum_.given.size() < current.given.size()) sum_.given.resize(current.given.size());
    grow_history();
  }

  // Room for the features of earlier labels that have come since: zero now, and zero in the average so far.
  void grow_history() {
    const std::size_t size = std::size_t(current.history.rows()) * current.stride;
    current.history_rows.resize(size, Real{0});
    sum_.history_rows.resize(size, Real{0});
  }

  void tick() noexcept { ++count_; }
  double count() const noexcept { return count_; }

  // The running sum's twin of a place in `current`, given its block in both.
  Weights<Real>& sum() noexcept { return sum_; }

  Weights<Real> average() const {
    Weights<Real> mean = current;
    for (std::size_t f = 0; f < mean.node.size(); ++f) subtract(mean.node[f], sum_.node[f]);
    for (std::size_t f = 0; f < mean.edge.size(); ++f) subtract(mean.edge[f], sum_.edge[f]);
    subtract(mean.given, sum_.given);
    subtract(mean.transition, sum_.transition);
    subtract(mean.history_rows, sum_.history_rows);
    return mean;
  }

  Weights<Real> current;

 private:
  void subtract(std::vector<Real>& to, const std::vector<Real>& sum) const {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] -= static_cast<Real>(sum[k] / count_);
  }

  Weights<Real> sum_;
  double count_ = 1;
};

}  // namespace riata
