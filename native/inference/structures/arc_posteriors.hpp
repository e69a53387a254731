// Probabilities of dependency arcs and their relations, over all trees of a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "inference/corpus.hpp"
#include "inference/structures/arc_model.hpp"
#include "inference/structures/arc_scorer.hpp"

namespace riata {

// Keeps the scores of all relations of all arcs, for learners that read each of them twice.
template <class Real, class Trees>
class ArcPosteriors {
 public:
  // The sentence that is open in the scorer, which has scored it. Returns log Z; minus infinity or NaN if it cannot be computed.
  double open(ArcScorer<Real>& scorer, std::int32_t relations) {
    n_ = scorer.length();
    relations_ = relations;
    stride_ = static_cast<std::size_t>(scorer.stride());
    plain_.open(n_);
    log_arcs_.open(n_);
    of_relations_.resize(plain_.size() * stride_);
    scorer.each_arc([&](std::int32_t h, std::int32_t c, Real score) {
      Real* row = of_relations_.data() + plain_.place(h, c) * stride_;
      scorer.relations(h, c, row);
      plain_(h, c) = score;
      const double highest = double(*std::max_element(row, row + relations_));
      double sum = 0;
      for (std::int32_t r = 0; r < relations_; ++r) sum += std::exp(double(row[r]) - highest);
      log_arcs_(h, c) = double(score) + highest + std::log(sum);
    });
    return sums_(log_arcs_, shares_);
  }

  // The score of a tree.
  double score(Codes tree) const noexcept {
    double sum = 0;
    for (std::size_t t = 0; t < tree.size(); ++t) {
      const std::int32_t head = tree[t] / relations_, child = static_cast<std::int32_t>(t) + 1;
      const auto relation = static_cast<std::size_t>(tree[t] % relations_);
      sum += double(plain_(head, child)) + double(of_relations_[plain_.place(head, child) * stride_ + relation]);
    }
    return sum;
  }

  // Calls visit(head, child, probability of the arc, probabilities of its relations [stride]) for arcs that are likelier than `least`.
  template <class Visit>
  void each(double least, Visit visit) {
    row_.assign(stride_, Real{0});
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h == c || !(shares_(h, c) > least)) continue;
        const Real* scores = of_relations_.data() + plain_.place(h, c) * stride_;
        const double all = log_arcs_(h, c) - double(plain_(h, c));
        for (std::int32_t r = 0; r < relations_; ++r)
          row_[static_cast<std::size_t>(r)] = static_cast<Real>(shares_(h, c) * std::exp(double(scores[r]) - all));
        visit(h, c, shares_(h, c), row_.data());
      }
    }
  }

 private:
  std::int32_t n_ = 0, relations_ = 0;
  std::size_t stride_ = 0;
  ArcScores<Real> plain_;
  Numbers<Real> of_relations_;  // [child][head][stride]
  ArcScores<double> log_arcs_, shares_;
  typename Trees::Sums sums_;
  Numbers<Real> row_;
};

}  // namespace riata
