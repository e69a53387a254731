#include "inference/structures/chain_risk.hpp"

#include <cmath>

namespace riata {

template <class Real>
ExpectedRight ChainRisk<Real>::operator()(OpenChain<Real>& open, std::int32_t* out) {
  const double temperature = 1 / risk_.sharpness;
  if (open.two_back() == nullptr) {
    if (!std::isfinite(one_back_.open(open.chain(), temperature))) return open.best(out), ExpectedRight{};
    return choose(one_back_, one_back_chunks_, open, out);
  }
  if (!two_back_) two_back_.emplace(open.chain().labels);
  if (!std::isfinite(two_back_->open(*open.two_back(), temperature))) return open.best(out), ExpectedRight{};
  return choose(*two_back_, two_back_chunks_, open, out);
}

template <class Real>
template <class Posteriors, class Chunks>
ExpectedRight ChainRisk<Real>::choose(Posteriors& posteriors, Chunks& chunks, OpenChain<Real>& open, std::int32_t* out) {
  const ChainScores<Real>& chain = open.chain();
  const auto probability = [&](std::int32_t t, std::int32_t j) {
    return posteriors.of(static_cast<std::size_t>(t), static_cast<std::size_t>(j));
  };
  // Truncated scores are scores of steps, and too close to each other for a legal label to have the probability 0.
  const auto possible = [&](std::int32_t t, std::int32_t j) {
    return open.truncated() ? probability(t, j) > 0 : chain.node[std::size_t(t) * chain.stride + j] != Constraint<Real>::never;
  };
  ExpectedRight expected;
  if (risk_.chunks) {
    const double least = chosen_->threshold(chain.length, risk_.cost, least_chunk, possible);
    expected.all = (*chunks)(posteriors, chain.length, least, chunks_);
    if (!(*chosen_)(chain.length, chunks_, risk_.cost, possible, out, expected.right, expected.found)) open.best(out);
    return expected;
  }
  expected.found = expected.all = chain.length;
  expected.right = likeliest_(chain.length, probability, possible, out);
  return expected;
}

template class ChainRisk<float>;
template class ChainRisk<double>;

}  // namespace riata
