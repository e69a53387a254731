// Weights and the running sum that gives their average, each update touching only what it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

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
    Weights<Real> mean(current.labels);
    average_into(mean);
    return mean;
  }

  // The same in the memory of other weights.
  void average_into(Weights<Real>& mean) const {
    mean.labels = current.labels;
    mean.stride = current.stride;
    mean.node.resize(current.node.size());
    mean.edge.resize(current.edge.size());
    mean.history = current.history;
    average_all(current, mean);
  }

  // The same in the memory of the weights themselves, which start anew from zero.
  Weights<Real> finish() {
    const std::int32_t labels = current.labels;
    Weights<Real> mean = std::exchange(current, Weights<Real>(labels));
    average_all(mean, mean);
    sum_ = Weights<Real>(labels);
    count_ = 1;
    return mean;
  }

  Weights<Real> current;

 private:
  // Block by block; both may be the same.
  void average_all(const Weights<Real>& now, Weights<Real>& mean) const {
    each_block([this](const Numbers<Real>& w, const Numbers<Real>& u, Numbers<Real>& out) { average(w, u, out); }, now, sum_, mean);
    average(now.history_rows, sum_.history_rows, mean.history_rows);
  }

  void average(const Numbers<Real>& now, const Numbers<Real>& sum, Numbers<Real>& mean) const {
    mean.resize(now.size());
    const double share = 1 / count_;
    for (std::size_t k = 0; k < now.size(); ++k) mean[k] = now[k] - static_cast<Real>(sum[k] * share);
  }

  Weights<Real> sum_;
  double count_ = 1;
};

}  // namespace riata
