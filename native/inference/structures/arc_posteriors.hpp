// Probabilities of dependency arcs, their relations and siblings, over all trees of a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/kernels.hpp"
#include "inference/corpus.hpp"
#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_scorer.hpp"
#include "inference/structures/sibling_scorer.hpp"

namespace riata {

// Keeps the factors of all relations of all arcs, for learners that read each of them twice.
template <class Real, class Trees>
class ArcPosteriors {
 public:
  ArcPosteriors(const ArcTemplates& templates, const ArcRows& rows, const Instances& instances)
      : scorer_(templates, rows, instances), siblings_of_(templates, rows, instances), relations_(rows.relations()) {}

  const ArcScorer<Real>& scorer() const noexcept { return scorer_; }
  const SiblingScorer<Real>& siblings() const noexcept { return siblings_of_; }

  // Opens a sentence and returns log P of a tree; not finite if it cannot be computed.
  double open(std::int64_t s, const Real* weights, Real scale, Codes tree) {
    scorer_.open(s);
    scorer_.score(weights, scale);
    siblings_of_.open(s);
    siblings_of_.score(weights, scale, siblings_);
    n_ = scorer_.length();
    const auto stride = static_cast<std::size_t>(scorer_.stride());
    totals_.open(n_);
    log_arcs_.open(n_);
    factors_.resize(totals_.size() * stride);
    double truth = 0;
    scorer_.each_arc([&](std::int32_t h, std::int32_t c, Real score) {
      Real* row = factors_.data() + totals_.place(h, c) * stride;
      scorer_.relations(h, c, row);
      const std::int32_t code = tree[static_cast<std::size_t>(c - 1)];
      if (code / relations_ == h) truth += double(score) + double(row[code % relations_]);
      std::fill(row + relations_, row + stride, -std::numeric_limits<Real>::infinity());
      Real highest = 0;
      exp_rows(row, 1, scorer_.stride(), &highest);
      double total = 0;
      for (std::int32_t r = 0; r < relations_; ++r) total += double(row[r]);
      totals_(h, c) = total;
      log_arcs_(h, c) = double(score) + double(highest) + std::log(total);
    });
    return truth + score_siblings(tree) - sums_(log_arcs_, log_siblings_, shares_, pairs_);
  }

  // Calls visit(head, child, probability of the arc, probabilities of its relations [stride]) for arcs that are likelier than `least`.
  template <class Visit>
  void each(double least, Visit visit) {
    const auto stride = static_cast<std::size_t>(scorer_.stride());
    row_.assign(stride, Real{0});
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h == c || !(shares_(h, c) > least)) continue;
        const Real* factors = factors_.data() + totals_.place(h, c) * stride;
        const auto times = static_cast<Real>(shares_(h, c) / totals_(h, c));
        for (std::size_t r = 0; r < stride; ++r) row_[r] = times * factors[r];
        visit(h, c, shares_(h, c), row_.data());
      }
    }
  }
  // Calls visit(head, sibling, child, probability) for siblings that are likelier than `least`; the sibling is 0 if there is none.
  template <class Visit>
  void each_sibling(double least, Visit visit) {
    if (!siblings_.scored()) return;
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h == c || !(shares_(h, c) > least)) continue;
        if (pairs_.first(h, c) > least) visit(h, 0, c, pairs_.first(h, c));
        if (h == 0) continue;
        const double* row = pairs_.row(h, c);
        for (std::int32_t k = std::min(h, c) + 1; k < std::max(h, c); ++k, ++row) {
          if (*row > least) visit(h, k, c, *row);
        }
      }
    }
  }
  // Calls visit(head, sibling, child) for the siblings of a tree, if they are scored.
  template <class Visit>
  void each_sibling_of(Codes tree, Visit visit) {
    if (!siblings_of_.reads()) return;
    siblings_in_(tree, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) { visit(h, k, c); });
  }

 private:
  double score_siblings(Codes tree) {
    log_siblings_.close();
    if (!siblings_.scored()) return 0;
    log_siblings_.copy(siblings_, 1);
    double sum = 0;
    each_sibling_of(tree, [&](std::int32_t h, std::int32_t k, std::int32_t c) { sum += double(siblings_.of(h, k, c)); });
    return sum;
  }

  ArcScorer<Real> scorer_;
  SiblingScorer<Real> siblings_of_;
  SiblingsOfTree siblings_in_;
  std::int32_t n_ = 0, relations_;
  Numbers<Real> factors_;     // [child][head][stride] of relations
  ArcScores<double> totals_;  // their sums
  ArcScores<double> log_arcs_, shares_;
  SiblingScores<Real> siblings_;
  SiblingScores<double> log_siblings_, pairs_;
  typename Trees::Sums sums_;
  Numbers<Real> row_;
};

}  // namespace riata
