#include "inference/exact/kbest.hpp"

#include <algorithm>
#include <limits>

namespace riata {

template <class Real>
void KBest<Real>::open(const ChainScores<Real>& chain) {
  chain_ = &chain;
  forward_.fill(chain);
  state_of_.assign(std::size_t(chain.length) * chain.labels + 1, -1);
  states_.clear();
}

template <class Real>
std::optional<Real> KBest<Real>::next(std::int32_t* labels) {
  const std::int32_t T = chain_->length;
  const std::size_t given = states_.empty() ? 0 : states_[0].found.size();  // the end is visited first
  find_one_more();
  if (states_[0].found.size() == given) return std::nullopt;
  Prefix prefix = states_[0].found.back();
  const Real score = prefix.score;
  for (std::int32_t t = T - 1; t >= 0; --t) {
    labels[t] = prefix.from;
    if (t > 0) prefix = states_[state_at(t, prefix.from)].found[prefix.rank];
  }
  return score;
}

template <class Real>
std::int32_t KBest<Real>::state_at(std::int32_t t, std::int32_t label) {
  std::int32_t& id = state_of_[std::size_t(t) * chain_->labels + label];
  if (id < 0) {
    id = static_cast<std::int32_t>(states_.size());
    states_.emplace_back();
    fill_frontier(t, label, states_.back());
    if (t < chain_->length) take_best(t, label, states_.back());  // known from the forward pass
  }
  return id;
}

// The best prefix of every label before.
template <class Real>
void KBest<Real>::fill_frontier(std::int32_t t, std::int32_t label, State& state) {
  if (t == 0) {
    const Real score = forward_.alpha[label];
    if (score > -std::numeric_limits<Real>::infinity()) state.found.push_back({score, 0, 0});
    return;
  }
  for (std::int32_t from = 0; from < chain_->labels; ++from) {
    const Real score = reach(t, label, forward_.alpha[std::size_t(t - 1) * chain_->stride + from], from);
    if (score > -std::numeric_limits<Real>::infinity()) state.frontier.push_back({score, from, 0});
  }
  std::make_heap(state.frontier.begin(), state.frontier.end());
}

// Back to the first state that needs nothing from those before it, and forward again, one more prefix each.
template <class Real>
void KBest<Real>::find_one_more() {
  visited_.clear();
  std::int32_t t = chain_->length, label = 0;
  std::size_t rank = std::numeric_limits<std::size_t>::max();
  for (; t > 0; --t) {
    const State& state = states_[state_at(t, label)];
    if (state.found.size() > rank) break;
    visited_.emplace_back(t, label);
    if (!state.successor_due) break;
    rank = static_cast<std::size_t>(state.found.back().rank) + 1;
    label = state.found.back().from;
  }
  for (auto place = visited_.rbegin(); place != visited_.rend(); ++place) {
    const auto [at, to] = *place;
    State& state = states_[state_at(at, to)];
    if (state.successor_due) {
      const Prefix last = state.found.back();
      const std::vector<Prefix>& before = states_[state_at(at - 1, last.from)].found;  // a deque: `state` stays where it is
      if (static_cast<std::size_t>(last.rank) + 1 < before.size()) {
        state.frontier.push_back({reach(at, to, before[last.rank + 1].score, last.from), last.from, last.rank + 1});
        std::push_heap(state.frontier.begin(), state.frontier.end());
      }
      state.successor_due = false;
    }
    take_best(at, to, state);
  }
}

template <class Real>
void KBest<Real>::take_best(std::int32_t t, std::int32_t label, State& state) {
  if (state.frontier.empty()) return;
  std::pop_heap(state.frontier.begin(), state.frontier.end());
  const Candidate best = state.frontier.back();
  state.frontier.pop_back();
  const Real own = t < chain_->length ? chain_->node[std::size_t(t) * chain_->stride + label] : Real{0};
  if (best.reach + own == -std::numeric_limits<Real>::infinity()) return;  // the label itself is not allowed here
  state.found.push_back({best.reach + own, best.from, best.rank});
  state.successor_due = true;
}

template <class Real>
Real KBest<Real>::reach(std::int32_t t, std::int32_t label, Real score, std::int32_t from) const noexcept {
  return t < chain_->length ? score + chain_->edge_into(t)[std::size_t(from) * chain_->stride + label] : score;
}

template class KBest<float>;
template class KBest<double>;

}  // namespace riata
