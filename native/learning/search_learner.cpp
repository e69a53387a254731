#include "learning/search_learner.hpp"

#include <algorithm>
#include <cmath>

namespace riata {
namespace {

// How many y-good states are followed at once: the setting `siblings`. If it is 0, LaSO and early update, which follow them for a step or
// two, follow `most_good`. Learners that follow them through whole outputs follow as many as the queue keeps, so that they do no more work
// than the search.
std::int64_t siblings_of(const Settings& settings, When when) {
  const std::int64_t wanted = settings.whole("siblings");
  if (wanted > 0) return wanted;
  if (when == When::laso || when == When::early) return Search::most_good;
  const QueueSpec queue = QueueSpec::of(settings);
  if (queue.name == "greedy") return 1;
  return queue.name == "beam" ? std::min(queue.width, Search::most_good) : QueueSpec{}.width;
}

// The y-good nodes, in the places of the last nodes of a front that is full.
std::vector<NodeId> beside(std::span<const NodeId> good, std::span<const NodeId> front) {
  const std::size_t left = front.size() - std::min(front.size(), good.size());
  std::vector<NodeId> out(front.begin(), front.begin() + static_cast<std::ptrdiff_t>(left));
  out.insert(out.end(), good.begin(), good.end());
  return out;
}

// Whether a y-good node was merged with one of its rivals.
bool absorbed(Search& search, const Search::Match& match) {
  return std::any_of(match.siblings.begin(), match.siblings.end(), [&](NodeId good) {
    const std::vector<NodeId> by = search.absorbers_of(good);
    return std::find_first_of(by.begin(), by.end(), match.rivals.begin(), match.rivals.end()) != by.end();
  });
}

}  // namespace

LearnerSpec LearnerSpec::of(const Settings& settings) {
  LearnerSpec spec;
  spec.when = settings.choice<When>(
      "when", {{"laso", When::laso}, {"early", When::early}, {"max-violation", When::max_violation}, {"standard", When::standard}});
  spec.what = settings.choice<What>("update", {{"mean", What::mean},
                                               {"queue", What::queue},
                                               {"best", What::best},
                                               {"loss-weighted", What::loss_weighted},
                                               {"lattice", What::lattice}});
  spec.siblings = siblings_of(settings, spec.when);
  return spec;
}

template <class Real>
Learner::Verdict SearchLearner<Real>::at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) {
  switch (spec_.when) {
    case When::laso:     // Figure 2
    case When::early: {  // Collins & Roark 2004: one update, then the next example
      if (!lost && !wrong) return {};
      std::vector<NodeId> siblings = search.siblings(front, spec_.siblings);
      Search::Match match = search.match(siblings, front);
      if (stepper_.spec().normalised) {
        keep_violating(search, match);
        const bool stays = match.rivals.size() < front.size() && !absorbed(search, match);
        if (!wrong && stays) return {Next::go_on, beside(siblings, front)};
      }
      update(search, match.siblings, competitors(search, match));
      if (spec_.when == When::early) return {Next::stop, {}};
      return {Next::restart, std::move(siblings)};
    }
    case When::max_violation:  // Huang, Fayong & Guo 2012: where the best node beats the truth by most
      remember_worst(search, front);
      if (search.at_goal() && worst_.good) {
        update(search, {&worst_.good, 1}, worst_.competitors);
        return {Next::stop, {}};
      }
      return {};
    case When::standard: {  // the whole search comes first
      if (!wrong) return {};
      const std::vector<NodeId> truth = search.good_goals(front.front(), spec_.siblings);
      update(search, truth, outputs_against(search, front, truth));
      return {Next::stop, {}};
    }
  }
  return {};
}

// Makes the updates that would otherwise wait for the end of the search.
template <class Real>
void SearchLearner<Real>::at_dead_end(Search& search, NodeId last) {
  if (spec_.when == When::max_violation && worst_.good) {
    update(search, {&worst_.good, 1}, worst_.competitors);
  } else if (spec_.when == When::standard && !search.tree()[last].good) {
    update(search, search.siblings(last, spec_.siblings), {{last, 1.0}});
  }
}

template <class Real>
void SearchLearner<Real>::remember_worst(Search& search, std::span<const NodeId> front) {
  const Tree& tree = search.tree();
  const NodeId best = front.front();
  if (tree[best].good) return;
  const std::vector<NodeId> good = search.good_beside(front, spec_.siblings);
  if (good.empty()) return;  // if prefixes of equal length compete, no y-good state may cover this prefix
  const auto higher = [&](NodeId a, NodeId b) { return tree[a].score + tree[a].heuristic < tree[b].score + tree[b].heuristic; };
  const NodeId truth = *std::max_element(good.begin(), good.end(), higher);
  const double violation = (tree[best].score + tree[best].heuristic) - (tree[truth].score + tree[truth].heuristic);
  const bool outranks = search.ranking().rank(tree[best]) >= search.ranking().rank(tree[truth]) || tie(search, {&truth, 1}, best);
  if (!outranks || (worst_.good && violation <= worst_.violation)) return;
  worst_.violation = violation;
  worst_.good = truth;
  Search::Match match = search.match({&truth, 1}, front);
  if (stepper_.spec().normalised) keep_violating(search, match);
  worst_.competitors = competitors(search, match);
}

// The competitors of the truth after a search that has ended: with `best`, the output found, whether it outranks the truth or not;
// otherwise as in Eq. 2, over all outputs in the queue.
template <class Real>
Weighted SearchLearner<Real>::outputs_against(Search& search, std::span<const NodeId> front, std::span<const NodeId> truth) const {
  if (spec_.what == What::best) return {{front.front(), 1.0}};
  Search::Match match = search.match(truth, front);
  std::erase_if(match.rivals, [&](NodeId id) { return !search.tree()[id].goal; });
  return competitors(search, match);
}

// With a normalised threshold, y-good nodes come last in the search. Rivals that are behind by their own margin, which depends on the
// difference, do not compete.
template <class Real>
void SearchLearner<Real>::keep_violating(Search& search, Search::Match& match) {
  measured_ = {match.siblings, {}};
  std::erase_if(match.rivals, [&](NodeId id) {
    if (search.tree()[id].good) return false;
    Difference one = difference(search, match.siblings, {{id, 1.0}});
    if (!stepper_.violates(one)) return true;
    measured_.rivals.push_back({id, std::move(one)});
    return false;
  });
}

// The difference to one node, which may have been computed already: features of nodes do not change while an example is searched.
template <class Real>
Difference SearchLearner<Real>::against(Search& search, std::span<const NodeId> siblings, NodeId rival) const {
  if (std::equal(siblings.begin(), siblings.end(), measured_.siblings.begin(), measured_.siblings.end())) {
    const auto known =
        std::find_if(measured_.rivals.begin(), measured_.rivals.end(), [&](const auto& entry) { return entry.first == rival; });
    if (known != measured_.rivals.end()) return known->second;
  }
  return difference(search, siblings, {{rival, 1.0}});
}

// The competitors in Eq. 2: all nodes that the truth competes with (`queue`), those that outrank it, weighted equally or by regret, or only
// the best one.
template <class Real>
Weighted SearchLearner<Real>::competitors(Search& search, const Search::Match& match) const {
  const Tree& tree = search.tree();
  const Ranking& ranking = search.ranking();
  double truth = -std::numeric_limits<double>::infinity();
  for (const NodeId id : match.siblings) truth = std::max(truth, ranking.rank(tree[id]));

  Weighted out;
  double total = 0;
  NodeId best;
  for (const NodeId id : match.rivals) {
    const Node& node = tree[id];
    const bool counts = spec_.what == What::queue || (!node.good && ranking.rank(node) >= truth);
    if (!counts) continue;
    if (!best || ranking.beats(node, tree[best])) best = id;
    const double weight = spec_.what == What::loss_weighted ? search.space().regret(tree, id) : 1.0;
    out.push_back({id, weight});
    total += weight;
  }
  if (!best) {  // the search may have seen a tie where exact sums differ
    for (const NodeId id : match.rivals) {
      if (!tree[id].good && (!best || ranking.beats(tree[id], tree[best]))) best = id;
    }
    if (!best || !tie(search, match.siblings, best)) return {};
    return {{best, 1.0}};
  }
  if (spec_.what == What::best) return {{best, 1.0}};
  if (total <= 0) return {};
  for (auto& [id, weight] : out) weight /= total;
  return out;
}

Difference difference(Search& search, std::span<const NodeId> siblings, const Weighted& competitors) {
  std::vector<std::pair<NodeId, double>> weights;  // a heap, children before parents: ids increase along a path
  for (const NodeId id : siblings) weights.push_back({id, 1.0 / static_cast<double>(siblings.size())});
  for (const auto& [id, weight] : competitors) weights.push_back({id, -weight});
  std::make_heap(weights.begin(), weights.end());
  struct Step {
    std::int64_t identity;
    NodeId node;
    double weight;
  };
  std::vector<Step> steps;
  while (!weights.empty()) {
    const NodeId id = weights.front().first;
    double weight = 0;
    while (!weights.empty() && weights.front().first == id) {
      weight += weights.front().second;
      std::pop_heap(weights.begin(), weights.end());
      weights.pop_back();
    }
    const NodeId parent = search.tree()[id].parent;
    if (!parent || std::abs(weight) < cancelled) continue;
    steps.push_back({search.space().step_identity(search.tree(), id), id, weight});
    weights.push_back({parent, weight});
    std::push_heap(weights.begin(), weights.end());
  }
  // Steps of different nodes that have the same features count once, or cancel.
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.identity < b.identity; });
  StepFeatures features;
  Difference delta;
  for (std::size_t i = 0; i < steps.size();) {
    const Step& step = steps[i];
    double weight = step.weight;
    for (++i; i < steps.size() && step.identity >= 0 && steps[i].identity == step.identity; ++i) weight += steps[i].weight;
    if (std::abs(weight) < cancelled) continue;
    features.clear();
    search.space().features(search.tree(), step.node, features);
    for (const auto& [feature, value] : features) delta.push_back({feature, weight * value});
  }
  sum_up(delta);
  return delta;
}

template <class Real>
void SearchLearner<Real>::update(Search& search, std::span<const NodeId> siblings, const Weighted& competitors) {
  if (stepper_.ignores()) return;
  if (competitors.empty()) return;  // nothing outranks the truth: the order of the search was at fault, not the weights
  double cost = 0;
  if (stepper_.spec().how == How::mira || stepper_.augments()) {
    for (const auto& [id, weight] : competitors) cost += weight * search.space().regret(search.tree(), id);
  }
  if (stepper_.augments()) cost -= search.space().initial_regret();
  const std::optional<Difference> delta = violation(search, siblings, competitors);
  if (delta) stepper_.step(*delta, cost);
}

// The difference of an update. With a normalised threshold, a mean of differences that violate it need not violate it; then the first of
// them is taken, or none if none does.
template <class Real>
std::optional<Difference> SearchLearner<Real>::violation(Search& search, std::span<const NodeId> siblings,
                                                         const Weighted& competitors) const {
  const bool one_alone = stepper_.spec().normalised && competitors.size() == 1;
  Difference mean = one_alone ? against(search, siblings, competitors.front().first) : difference(search, siblings, competitors);
  if (!stepper_.spec().normalised || stepper_.violates(mean)) return mean;
  for (const auto& [id, weight] : competitors) {
    if (search.tree()[id].good) continue;
    Difference one = against(search, siblings, id);
    if (stepper_.violates(one)) return one;
  }
  return {};
}

// Whether y-good nodes are ahead of a node only by rounding: their scores are sums of steps, each rounded to Real.
template <class Real>
bool SearchLearner<Real>::tie(Search& search, std::span<const NodeId> siblings, NodeId rival) const {
  const Ranking& ranking = search.ranking();
  const Tree& tree = search.tree();
  double truth = -std::numeric_limits<double>::infinity();
  for (const NodeId id : siblings) truth = std::max(truth, ranking.rank(tree[id]));
  const double other = ranking.rank(tree[rival]);
  constexpr double steps = 4;  // a few rounding errors
  return truth - other <= steps * double(std::numeric_limits<Real>::epsilon()) * std::max({1.0, std::abs(truth), std::abs(other)});
}

template class SearchLearner<float>;
template class SearchLearner<double>;

}  // namespace riata
