#include "learning/chain_search.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"

namespace riata {
namespace {

// A search can only learn what it can reach.
template <class Real>
void check_reachable(const Constraint<Real>& constraint, std::int32_t stride, const Instances& instances, std::int64_t s) {
  const std::int32_t* labels = instances.labels.data() + instances.starts[s];
  const std::int64_t length = instances.length(s);
  for (std::int64_t t = 0; t < length; ++t) {
    const bool follows =
        t == 0 ? constraint.start[labels[t]] == 0 : constraint.follow[std::size_t(labels[t - 1]) * stride + labels[t]] == 0;
    const bool ends = t + 1 < length || constraint.end[labels[t]] == 0;
    if (follows && ends) continue;
    throw Error("DataError",
                "the true labels of sentence " + std::to_string(s) + " are not allowed at token " + std::to_string(t) +
                    " (both from 0), so no search can find them.",
                "Repair the labels, or allow the sequence.");
  }
}

}  // namespace

template <class Real>
void ChainSearch<Real>::grow(const FeatureIndex& index, const Instances& instances) {
  given_size_ = std::max(given_size_, instances.given_size);
  const Layout now(index, layout_.labels, given_size_);
  if (now.size < layout_.size) throw Error("RiataError", "the instances were made with another feature index than the weights");
  if (now.size > layout_.size) weights_.rearrange([&](const Numbers<Real>& old) { return now.moved(old, layout_); });
  layout_ = now;
}

template <class Real>
EpochResult ChainSearch<Real>::epoch(const FeatureIndex& index, const Instances& instances, std::span<const std::int64_t> order,
                                     std::span<const double> sentence_weights, const Poll& poll) {
  grow(index, instances);
  for (const std::int64_t s : order) check_reachable(constraint_, layout_.stride, instances, s);
  EpochResult result;
  Limits limits = limits_;
  limits.poll = [&] { poll(result.sentences); };
  ChainSpace<Real> space(index, layout_, constraint_, instances, weights_, history_, true, queue_spec_);
  Search search(space, *queue_, limits);
  PollClock clock(layout_.labels);
  for (const std::int64_t s : order) {
    if (clock.due(instances.length(s)) && !poll(result.sentences)) break;
    ++result.sentences;
    if (instances.length(s) > 0) {
      space.open(s);
      learner_.begin(sentence_weights.empty() ? 1.0 : sentence_weights[static_cast<std::size_t>(s)]);
      run_on(s, search, &learner_);
      result.tokens += instances.length(s);
      result.updates += learner_.updated();
    }
    weights_.tick();
  }
  return result;
}

template <class Real>
std::vector<std::int32_t> ChainDecoder<Real>::decode(const Constraint<Real>& constraint, const Instances& instances, const QueueSpec& queue,
                                                     const Limits& limits, const Poll& poll) const {
  check_fit(index_, weights_, instances);
  ChainSpace<Real> space(index_, layout_, constraint, instances, flat_, history_, false, queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits polled = limits;
  polled.poll = [&] { poll(done); };
  Search search(space, *pending, polled);
  PollClock clock(weights_.labels);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(instances.tokens()), -1);
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    if (clock.due(instances.length(s)) && !poll(s)) break;
    if (instances.length(s) == 0) continue;
    done = s;
    space.open(s);
    const NodeId goal = run_on(s, search);
    const std::vector<ActionId> path = search.tree().path(goal);
    std::copy(path.begin(), path.end(), labels.begin() + instances.starts[s]);
  }
  return labels;
}

template <class Real>
Confidences ChainDecoder<Real>::confidences(const Constraint<Real>& constraint, const Instances& instances, const QueueSpec& queue,
                                            const Limits& limits, const ChunkFlags& chunks, std::span<const double> temperatures,
                                            std::span<const std::int32_t> given, const Poll& poll) const {
  check_fit(index_, weights_, instances);
  ChainSpace<Real> space(index_, layout_, constraint, instances, flat_, history_, false, queue);
  const auto label = [](ActionId action) { return action; };
  Units units(Track{0, chunks.kinds, chunks.continues, label});
  return with_confidences(
      space, instances, queue, limits, temperatures, given, 1, weights_.labels, poll,
      [](const std::vector<ActionId>& path, std::span<std::int32_t> labels) { std::copy(path.begin(), path.end(), labels.begin()); },
      [&](const Lattice& lattice, std::span<const std::int32_t> labels, double* out) { units(lattice, labels, out); });
}

template class ChainSearch<float>;
template class ChainSearch<double>;
template class ChainDecoder<float>;
template class ChainDecoder<double>;

}  // namespace riata
