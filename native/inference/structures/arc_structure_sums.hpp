// Sums over all trees of a sentence: probabilities of arcs, expected losses and features, trees of least risk.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/structures/arc_structure.hpp"

namespace riata {

template <class Real, class Trees>
double ArcStructure<Real, Trees>::sums(double sharpness) {
  make_scores();
  sharpness_ = sharpness;
  const std::int32_t n = scorer_.length();
  log_arcs_.open(n);
  for (std::int32_t c = 1; c <= n; ++c) {
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h == c || !may_head(h, c)) continue;
      const Real* of_relations = relations_of(h, c);
      const double highest = double(*std::max_element(of_relations, of_relations + relations_));
      if (std::isinf(highest)) continue;
      double sum = 0;
      for (std::int32_t r = 0; r < relations_; ++r) sum += std::exp(sharpness * (double(of_relations[r]) - highest));
      log_arcs_(h, c) = sharpness * (double(plain_(h, c)) + highest) + std::log(sum);
    }
  }
  log_siblings_.close();
  if (siblings_.scored()) log_siblings_.copy(siblings_, sharpness);
  return sums_(log_arcs_, log_siblings_, shares_, pairs_);
}

// After `sums` and relations_of: the probability of an arc with a relation.
template <class Real, class Trees>
double ArcStructure<Real, Trees>::share(std::int32_t head, std::int32_t child, std::int32_t relation) {
  if (!(shares_(head, child) > 0)) return 0;
  const double score = sharpness_ * (double(plain_(head, child)) + double(of_relations_[static_cast<std::size_t>(relation)]));
  return shares_(head, child) * std::exp(score - log_arcs_(head, child));
}

template <class Real, class Trees>
double ArcStructure<Real, Trees>::expected_loss() {
  double right = 0;
  for (std::int32_t c = 1; c <= scorer_.length(); ++c) {
    const std::int32_t truth = target()[static_cast<std::size_t>(c - 1)];
    relations_of(truth / relations_, c);
    right += share(truth / relations_, c, truth % relations_);
  }
  return double(scorer_.length()) - right;
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::take_expected(Difference& out) {
  if (grown_ != nullptr)
    take_expected_arcs(GrowingRows{*grown_}, out);
  else
    take_expected_arcs(KnownWeights{rows_}, out);
  take_expected_siblings(out);
}

template <class Real, class Trees>
template <class Weights>
void ArcStructure<Real, Trees>::take_expected_arcs(Weights weights, Difference& out) {
  const std::int32_t n = scorer_.length();
  for (std::int32_t c = 1; c <= n; ++c) {
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h == c || !(shares_(h, c) > least_)) continue;
      relations_of(h, c);
      scorer_.each_place(
          weights, h, c, [&](std::int64_t place) { out.push_back({place, -shares_(h, c)}); },
          [&](const auto& row) {
            for (std::int32_t r = 0; r < relations_; ++r) {
              const double part = share(h, c, r);
              const std::int64_t place = part > least_ ? row.place(r) : ArcRows::unknown;
              if (place != ArcRows::unknown) out.push_back({place, -part});
            }
          });
      if (grown_ != nullptr) vector_.grow(static_cast<std::size_t>(rows_.size()));
    }
  }
}

template <class Real, class Trees>
void ArcStructure<Real, Trees>::take_expected_siblings(Difference& out) {
  KnownWeights known{rows_};
  const auto take = [&](std::int32_t h, std::int32_t k, std::int32_t c, double share) {
    if (share > least_) siblings_of_.each_place(known, h, k, c, [&](std::int64_t place) { out.push_back({place, -share}); });
  };
  for (std::int32_t c = 1; siblings_.scored() && c <= scorer_.length(); ++c) {
    for (std::int32_t h = 0; h <= scorer_.length(); ++h) {
      if (h == c || !(shares_(h, c) > least_)) continue;
      take(h, 0, c, pairs_.first(h, c));
      for (std::int32_t k = std::min(h, c) + 1; h > 0 && k < std::max(h, c); ++k) take(h, k, c, pairs_.of(h, k, c));
    }
  }
}

// The tree with the largest expected number of tokens whose head and relation are right: the best tree by the probabilities of arcs.
template <class Real, class Trees>
ExpectedRight ArcStructure<Real, Trees>::least_risk(std::span<std::int32_t> out) {
  if (std::isinf(sums(risk_.sharpness))) {
    best(out);
    return {};
  }
  const std::int32_t n = scorer_.length();
  ArcScores<Real> by_share;
  std::vector<std::int32_t> likeliest(arcs_.size());
  by_share.open(n);
  for (std::int32_t c = 1; c <= n; ++c) {
    for (std::int32_t h = 0; h <= n; ++h) {
      if (h == c || !may_head(h, c)) continue;
      relations_of(h, c);
      const auto most = std::max_element(of_relations_.begin(), of_relations_.begin() + relations_);
      const auto relation = static_cast<std::int32_t>(most - of_relations_.begin());
      if (std::isinf(*most)) continue;
      by_share(h, c) = static_cast<Real>(share(h, c, relation));
      likeliest[by_share.place(h, c)] = relation;
    }
  }
  const double right = best_of(by_share, {}, likeliest, out), all = static_cast<double>(n);
  return {right, all, all};
}

template <class Real, class Trees>
double ArcStructure<Real, Trees>::confidences(Codes tree, double sharpness, double* heads, double* relations) {
  const double log_z = sums(sharpness);
  for (std::int32_t c = 1; c <= scorer_.length(); ++c) {
    const std::int32_t head = tree[static_cast<std::size_t>(c - 1)] / relations_,
                       relation = tree[static_cast<std::size_t>(c - 1)] % relations_;
    heads[c - 1] = std::min(shares_(head, c), 1.0);
    double sum = 0;
    for (std::int32_t h = 0; h <= scorer_.length(); ++h) {
      if (h == c || !(shares_(h, c) > 0)) continue;
      relations_of(h, c);
      sum += share(h, c, relation);
    }
    relations[c - 1] = std::min(sum, 1.0);
  }
  return log_z;
}

}  // namespace riata
