#include "learning/margins.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "learning/search_learner.hpp"

namespace riata {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double sum(const Search& search, NodeId node) { return search.tree()[node].score + search.tree()[node].heuristic; }

// How far a y-good state is ahead of another state, from their scores. A lead that may come from rounding counts as none, as in the
// ranking.
double lead(double good, double other) {
  const double ahead = good - other;
  return ahead > Ranking::roundings * std::max(1.0, std::abs(good)) ? ahead : std::min(ahead, 0.0);
}

// The best score of each key.
std::map<std::int64_t, double> best_by_key(const Search& search, std::span<const Search::Child> nodes) {
  std::map<std::int64_t, double> best;
  for (const auto& [node, key] : nodes) {
    const double score = sum(search, node);
    const auto [place, fresh] = best.emplace(key, score);
    if (!fresh) place->second = std::max(place->second, score);
  }
  return best;
}

// Whether a y-good node is pending.
bool waits(const Search& search) {
  const std::vector<NodeId> pending = search.pending();
  return std::any_of(pending.begin(), pending.end(), [&](NodeId id) { return search.tree()[id].good; });
}

}  // namespace

template <class Real>
Margins<Real>::Margins(const QueueSpec& queue, const Vector<Real>& weights)
    : weights_(weights),
      width_(queue.name == "greedy" ? 1
             : queue.name == "beam" ? queue.width
                                    : unbounded),
      by_level_(queue.by_level()),
      by_prefix_(queue.name == "beam" && queue.by == "prefix") {}

template <class Real>
Learner::Verdict Margins<Real>::at_front(Search& search, std::span<const NodeId> front, bool lost, bool wrong) {
  if (front.front() == NodeId(0)) prefixes_.clear();  // another example
  const bool at_goal = search.at_goal();
  if (by_prefix_) measure_prefix(search, front);
  if (at_goal || !by_level_) measure_end(search, front);
  if (lost || wrong) return restart(search, front);
  if (at_goal) return {};
  report_.merges |= search.space().keyed();
  report_.uneven |= std::any_of(front.begin(), front.end(), [&](NodeId id) { return search.tree()[id].goal; });
  if (by_prefix_) {
    expand_prefix(search, front);
    return {};
  }
  const Rivals all = rivals(search, front);
  measure_cut(search, all, width_);
  measure_level(search, all);
  return {};
}

// Figure 2 without its update.
template <class Real>
Learner::Verdict Margins<Real>::restart(Search& search, std::span<const NodeId> front) {
  ++report_.losses;
  std::vector<NodeId> siblings = search.siblings(front, Search::most_good);
  if (!by_prefix_) return {Next::restart, std::move(siblings)};
  for (const auto& [standing, nodes] : prefixes_) measure_level(search, split(search, nodes));  // these prefixes will not come to the front
  prefixes_.clear();
  for (const NodeId id : siblings)
    prefixes_[search.standing(id)].push_back({id, search.space().keyed() ? search.space().key(search.tree(), id) : own_--});
  return {Next::restart, std::move(siblings)};
}

// Measures the cut that led to the front. If a y-good state waits in a later prefix, the cut cannot lose the truth.
template <class Real>
void Margins<Real>::measure_prefix(Search& search, std::span<const NodeId> front) {
  const auto place = prefixes_.find(search.standing(front.front()));
  if (place == prefixes_.end()) return;
  const Rivals all = split(search, place->second);
  prefixes_.erase(place);
  measure_level(search, all);
  if (!waits(search)) measure_cut(search, all, width_);
}

// Of one expansion, the best state of every key is kept; nothing is cut yet.
template <class Real>
void Margins<Real>::expand_prefix(Search& search, std::span<const NodeId> front) {
  const std::vector<Search::Child> made = children(search, front);
  if (!waits(search)) measure_cut(search, split(search, made), unbounded);
  for (const Search::Child& child : made) prefixes_[search.standing(child.node)].push_back(child);
}

template <class Real>
MarginReport Margins<Real>::report() const {
  MarginReport report = report_;
  report.norm = weights_.norm();
  return report;
}

// The children of nodes before any is merged. A child that is not merged gets a key of its own.
template <class Real>
std::vector<Search::Child> Margins<Real>::children(Search& search, std::span<const NodeId> nodes) {
  std::vector<Search::Child> out = search.children(nodes);
  if (!search.space().keyed()) {
    for (Search::Child& child : out) child.key = own_--;
  }
  return out;
}

template <class Real>
typename Margins<Real>::Rivals Margins<Real>::split(const Search& search, std::span<const Search::Child> nodes) {
  Rivals out;
  for (const Search::Child& child : nodes) (search.tree()[child.node].good ? out.good : out.bad).push_back(child);
  return out;
}

// All states that will be in the queue together: the children of the front, before any is merged or cut, and everything that is pending.
template <class Real>
typename Margins<Real>::Rivals Margins<Real>::rivals(Search& search, std::span<const NodeId> front) {
  std::vector<NodeId> open, waiting = search.pending();
  for (const NodeId id : front) (search.tree()[id].goal ? waiting : open).push_back(id);
  std::vector<Search::Child> all = children(search, open);
  for (const NodeId id : waiting) all.push_back({id, own_--});
  return split(search, all);
}

// Measures by how much the scores of all y-good states could fall before none survives. A y-good state must beat the y-bad states that it
// would be merged with, and the last of those that would fill the queue without it.
template <class Real>
void Margins<Real>::measure_cut(Search& search, const Rivals& rivals, std::int64_t width) {
  if (rivals.good.empty()) return;
  const std::map<std::int64_t, double> good = best_by_key(search, rivals.good), bad = best_by_key(search, rivals.bad);
  std::vector<double> ranks;
  for (const auto& [key, score] : bad) ranks.push_back(score);
  double last = -infinity;
  if (static_cast<std::int64_t>(ranks.size()) >= width) {
    const auto place = ranks.begin() + (width - 1);
    std::nth_element(ranks.begin(), place, ranks.end(), std::greater<>());
    last = *place;
  }
  double margin = -infinity;
  for (const auto& [key, score] : good) {
    const auto same = bad.find(key);
    margin = std::max(margin, lead(score, std::max(last, same == bad.end() ? -infinity : same->second)));
  }
  report_.survival = std::min(report_.survival, margin);
}

// Measures how far the best y-good state is ahead of the best goal that is not y-good.
template <class Real>
void Margins<Real>::measure_end(Search& search, std::span<const NodeId> front) {
  std::vector<NodeId> nodes = search.pending();
  nodes.insert(nodes.end(), front.begin(), front.end());
  double good = -infinity, bad = -infinity;
  for (const NodeId id : nodes) {
    const Node& node = search.tree()[id];
    const double score = sum(search, id);
    if (node.good)
      good = std::max(good, score);
    else if (node.goal)
      bad = std::max(bad, score);
  }
  if (good == -infinity) return;  // the truth was lost before, at a cut
  report_.survival = std::min(report_.survival, lead(good, bad));
}

template <class Real>
void Margins<Real>::measure_level(Search& search, const Rivals& rivals) {
  if (rivals.good.empty() || rivals.bad.empty()) return;
  report_.most_good = std::max(report_.most_good, static_cast<std::int64_t>(rivals.good.size()));
  LeastMargins least;
  StepFeatures step;
  Difference to_parent, delta;
  for (const Search::Child& good : rivals.good) {
    NodeId parent;
    for (const Search::Child& bad : rivals.bad) {
      // Rivals of one parent are neighbours, and differ from the parent by one step.
      if (const NodeId its = search.tree()[bad.node].parent; its != parent) {
        parent = its;
        to_parent = difference(search, {&good.node, 1}, {{parent, 1.0}});
      }
      step.clear();
      search.space().features(search.tree(), bad.node, step);
      delta = to_parent;
      for (const auto& [feature, value] : step) delta.push_back({feature, -value});
      sum_up(delta);
      const double length = weights_.length(delta);
      least.take(weights_.dot(delta), length);
      report_.largest_difference = std::max(report_.largest_difference, length);
    }
  }
  report_.raw.push_back(least.raw);
  report_.normalised.push_back(least.normalised);
}

template <class Real>
MarginReport margins_of(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, double p, const Poll& poll) {
  model.check(corpus, model.flat().size());
  Vector<Real> weights(model.flat(), p);
  const std::unique_ptr<Model<Real>> grown = model.copy();  // features without weights count in norms, so they are added to the copy
  const std::unique_ptr<Structure<Real>> structure = grown->over(corpus, weights, true);
  const std::unique_ptr<CorpusSpace> space = structure->space(queue);
  const std::unique_ptr<Queue> pending = make_queue(queue);
  std::int64_t done = 0;
  Limits limits;
  limits.poll = [&] { poll(done); };
  Search search(*space, *pending, limits);
  Margins<Real> margins(queue, weights);
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    if (corpus.length(s) == 0) continue;
    done = s;
    space->open(s, true);
    search.run(&margins);
  }
  return margins.report();
}

template class Margins<float>;
template class Margins<double>;
template MarginReport margins_of(const Model<float>&, const Corpus&, const QueueSpec&, double, const Poll&);
template MarginReport margins_of(const Model<double>&, const Corpus&, const QueueSpec&, double, const Poll&);

}  // namespace riata
