#include "inference/approximate/factorial_messages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace riata {
namespace {

// exp(scores - their maximum); the maximum is added to `shift`. Scores of minus infinity become 0.
void make_factors(std::vector<double>& scores, double& shift) {
  const double most = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  if (most == -std::numeric_limits<double>::infinity()) {
    std::ranges::fill(scores, 0);
    return;
  }
  for (double& score : scores) score = std::exp(score - most);
  shift += most;
}

// Divides by the sum, which is returned.
double normalise(std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= sum;
  return sum;
}

// b log(a / b), which is 0 if b is.
double energy(double b, double a) { return b > 0 ? b * (std::log(a) - std::log(b)) : 0; }

}  // namespace

SumsBy sums_by(const std::string& name) {
  if (name == "exact") return SumsBy::exact;
  if (name == "loopy") return SumsBy::loopy;
  if (name == "trp") return SumsBy::trp;
  throw Error("RiataError", "sums are exact, loopy or trp");
}

FactorialMessages::FactorialMessages(const FactorialShape& shape, SumsBy how) : shape_(shape), how_(how) {}

template <class Real>
double FactorialMessages::operator()(const FactorialScores<Real>& scores) {
  length_ = scores.length;
  shift_ = 0;
  own_.clear();
  edges_.clear();
  around_.assign(static_cast<std::size_t>(length_ * shape_.columns()), {});
  for (std::int32_t t = 0; t < length_; ++t) {
    each_column(shape_, [&](ColumnId c) {
      own_.emplace_back(scores.nodes(c, t), scores.nodes(c, t) + shape_.labels(c));
      make_factors(own_.back(), shift_);
    });
    each_factor(shape_, [&](FactorId k) {
      const FactorialPair& of = shape_.pair(k);
      if (of.within() && t == 0) return;
      const std::int32_t left = (of.within() ? t - 1 : t) * shape_.columns() + of.left.number();
      Edge edge{k, t, left, t * shape_.columns() + of.right.number(), {}, {}, {}, {}, {}};
      for (LabelId i(0); i.number() < labels(edge.left); ++i) {
        for (LabelId j(0); j.number() < labels(edge.right); ++j) edge.table.push_back(double(scores.table(k, t)[shape_.cell(k, i, j)]));
      }
      make_factors(edge.table, shift_);
      edge.to_left.assign(static_cast<std::size_t>(labels(edge.left)), 1.0 / labels(edge.left));
      edge.to_right.assign(static_cast<std::size_t>(labels(edge.right)), 1.0 / labels(edge.right));
      for (const std::int32_t variable : {edge.left, edge.right})
        around_[static_cast<std::size_t>(variable)].push_back(static_cast<std::int32_t>(edges_.size()));
      edges_.push_back(std::move(edge));
    });
  }
  if (how_ == SumsBy::trp) make_trees();
  run();
  return bethe();
}

void FactorialMessages::make_trees() {
  trees_.clear();
  each_column(shape_, [&](ColumnId c) { make_tree(c.number()); });
}

// The chain of a column with the labels of other columns that are joined to it: messages to the chain, along it and back, and from it.
void FactorialMessages::make_tree(std::int32_t column) {
  std::vector<Step> inward, ahead, back, outward;
  for (std::int32_t e = 0; e < static_cast<std::int32_t>(edges_.size()); ++e) {
    const FactorialPair& of = shape_.pair(edges_[static_cast<std::size_t>(e)].factor);
    const bool left = of.left.number() == column, right = of.right.number() == column;
    if (left && right) {
      ahead.push_back({e, true});
      back.push_back({e, false});
    } else if (left || right) {
      inward.push_back({e, right});
      outward.push_back({e, left});
    }
  }
  std::ranges::reverse(back);
  std::vector<Step>& tree = trees_.emplace_back();
  for (const std::vector<Step>* part : {&inward, &ahead, &back, &outward}) tree.insert(tree.end(), part->begin(), part->end());
}

// The product of a variable's own factors and all messages to it, except the one along an edge (-1: none is left out).
std::vector<double> FactorialMessages::without(std::int32_t variable, std::int32_t edge) const {
  std::vector<double> out = own_[static_cast<std::size_t>(variable)];
  for (const std::int32_t e : around_[static_cast<std::size_t>(variable)]) {
    if (e == edge) continue;
    const Edge& other = edges_[static_cast<std::size_t>(e)];
    const std::vector<double>& message = other.right == variable ? other.to_right : other.to_left;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] *= message[j];
    normalise(out);  // so that products of many messages do not underflow
  }
  return out;
}

// Computes one message and returns how much it changed. at_once: it takes effect when all messages of the round are computed.
double FactorialMessages::pass(const Step& step, bool at_once) {
  Edge& edge = edges_[static_cast<std::size_t>(step.edge)];
  const std::vector<double> from = without(step.to_right ? edge.left : edge.right, step.edge);
  std::vector<double>& now = step.to_right ? edge.to_right : edge.to_left;
  const std::size_t width = static_cast<std::size_t>(labels(edge.right));
  std::vector<double> message(now.size(), 0);
  for (std::size_t x = 0; x < edge.table.size(); ++x) {
    const std::size_t i = x / width, j = x % width;
    message[step.to_right ? j : i] += edge.table[x] * from[step.to_right ? i : j];
  }
  normalise(message);
  double change = 0;
  for (std::size_t j = 0; j < now.size(); ++j) {
    const double by = std::abs(message[j] - now[j]);
    if (!(by <= change)) change = by;  // also if it is not a number
  }
  (at_once ? (step.to_right ? edge.next_right : edge.next_left) : now) = std::move(message);
  return change;
}

// Rounds until no message changes. A message along a chain takes as many rounds as the chain has tokens if all are sent at once.
void FactorialMessages::run() {
  converged_ = edges_.empty();
  for (rounds_ = 0; !converged_ && rounds_ < most_rounds + length_; ++rounds_) {
    double change = 0;
    const auto sent = [&](const Step& step, bool at_once) {
      const double by = pass(step, at_once);
      if (!(by <= change)) change = by;
    };
    if (how_ == SumsBy::trp) {
      for (const std::vector<Step>& tree : trees_) {
        for (const Step& step : tree) sent(step, false);
      }
    } else {
      for (std::int32_t e = 0; e < static_cast<std::int32_t>(edges_.size()); ++e) {
        sent({e, true}, true);
        sent({e, false}, true);
      }
      for (Edge& edge : edges_) {
        edge.to_left.swap(edge.next_left);
        edge.to_right.swap(edge.next_right);
      }
    }
    if (std::isnan(change)) return;
    converged_ = change <= tolerance;
  }
}

std::vector<double> FactorialMessages::belief(std::int32_t variable) const {
  std::vector<double> out = without(variable, -1);
  normalise(out);
  return out;
}

// [left labels][right labels]
std::vector<double> FactorialMessages::pair_belief(std::int32_t e) const {
  const Edge& edge = edges_[static_cast<std::size_t>(e)];
  const std::vector<double> left = without(edge.left, e), right = without(edge.right, e);
  std::vector<double> out = edge.table;
  for (std::size_t x = 0; x < out.size(); ++x) out[x] *= left[x / right.size()] * right[x % right.size()];
  normalise(out);
  return out;
}

// Energy plus entropy, where the entropy is that of the edges minus what their variables have in common (Yedidia, Freeman & Weiss 2005).
double FactorialMessages::bethe() const {
  double sum = shift_;
  for (std::int32_t e = 0; e < static_cast<std::int32_t>(edges_.size()); ++e) {
    const Edge& edge = edges_[static_cast<std::size_t>(e)];
    const std::vector<double>&left = own_[static_cast<std::size_t>(edge.left)], &right = own_[static_cast<std::size_t>(edge.right)];
    const std::vector<double> beliefs = pair_belief(e);
    for (std::size_t x = 0; x < beliefs.size(); ++x)
      sum += energy(beliefs[x], edge.table[x] * left[x / right.size()] * right[x % right.size()]);
  }
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(own_.size()); ++v) {
    const std::vector<double> beliefs = belief(v);
    const double shared = 1 - static_cast<double>(around_[static_cast<std::size_t>(v)].size());
    for (std::size_t j = 0; j < beliefs.size(); ++j) sum += shared * energy(beliefs[j], own_[static_cast<std::size_t>(v)][j]);
  }
  return sum;
}

template <class Real>
void FactorialMessages::add(const FactorialTables<Real>& to, double times) const {
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(own_.size()); ++v) {
    const std::vector<double> beliefs = belief(v);
    Real* out = to.nodes(shape_, ColumnId(v % shape_.columns()), v / shape_.columns());
    for (std::size_t j = 0; j < beliefs.size(); ++j) out[j] += static_cast<Real>(times * beliefs[j]);
  }
  for (std::int32_t e = 0; e < static_cast<std::int32_t>(edges_.size()); ++e) {
    const Edge& edge = edges_[static_cast<std::size_t>(e)];
    const std::vector<double> beliefs = pair_belief(e);
    const std::size_t width = static_cast<std::size_t>(labels(edge.right));
    Real* out = to.table(shape_, edge.factor, edge.token);
    for (std::size_t x = 0; x < beliefs.size(); ++x)
      out[shape_.cell(edge.factor, LabelId(x / width), LabelId(x % width))] += static_cast<Real>(times * beliefs[x]);
  }
}

template double FactorialMessages::operator()(const FactorialScores<float>&);
template double FactorialMessages::operator()(const FactorialScores<double>&);
template void FactorialMessages::add(const FactorialTables<float>&, double) const;
template void FactorialMessages::add(const FactorialTables<double>&, double) const;

}  // namespace riata
