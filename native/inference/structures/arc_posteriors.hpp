// Probabilities of dependency arcs, their relations and siblings, over all trees of a sentence, minus those of the true tree.
#pragma once

#include <algorithm>
#include <array>
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

// The answers that SentencePotentials asks for. Keeps the factors of all relations of all arcs, since each of them is read twice.
template <class Real, class Trees>
class ArcPosteriors {
 public:
  // Arcs and siblings that are no likelier than `least` change nothing. gold: [N] codes of the true trees.
  ArcPosteriors(const ArcTemplates& templates, const ArcRows& rows, const Instances& instances, Codes gold, double least)
      : rows_(rows),
        instances_(instances),
        gold_(gold),
        least_(least),
        scorer_(templates, rows, instances),
        siblings_of_(templates, rows, instances),
        relations_(rows.relations()) {}

  // Changes of the scores of arcs, of their relations, and of siblings.
  struct Kept {
    struct Arc {
      std::int32_t head, child;
      double by;
    };
    struct Sibling {
      std::int32_t head, sibling, child;
      double by;
    };
    std::vector<Arc> arcs;
    Numbers<Real> relations;  // [arcs][stride]
    std::vector<Sibling> siblings;
  };

  static constexpr bool shared = false;
  static std::int32_t work() noexcept { return 1000; }  // a token is compared with all others, by many features

  double open(std::int64_t s, const Real* weights, Real scale) {
    tree_ = gold_.subspan(static_cast<std::size_t>(instances_.starts[static_cast<std::size_t>(s)]),
                          static_cast<std::size_t>(instances_.length(s)));
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
      const std::int32_t code = tree_[static_cast<std::size_t>(c - 1)];
      if (code / relations_ == h) truth += double(score) + double(row[code % relations_]);
      std::fill(row + relations_, row + stride, -std::numeric_limits<Real>::infinity());
      Real highest = 0;
      exp_rows(row, 1, scorer_.stride(), &highest);
      double total = 0;
      for (std::int32_t r = 0; r < relations_; ++r) total += double(row[r]);
      totals_(h, c) = total;
      log_arcs_(h, c) = double(score) + double(highest) + std::log(total);
    });
    return truth + score_siblings() - sums_(log_arcs_, log_siblings_, shares_, pairs_);
  }

  void keep(Kept& out) {
    out.arcs.clear();
    out.relations.clear();
    out.siblings.clear();
    keep_arcs(out);
    for (std::size_t t = 0; t < tree_.size(); ++t) {
      out.arcs.push_back({tree_[t] / relations_, static_cast<std::int32_t>(t) + 1, -1});
      out.relations.resize(out.relations.size() + static_cast<std::size_t>(scorer_.stride()), Real{0});
      *(out.relations.end() - scorer_.stride() + tree_[t] % relations_) = -1;
    }
    if (!siblings_.scored()) return;
    keep_siblings(out);
    siblings_in_(tree_, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) { out.siblings.push_back({h, k, c, -1}); });
  }

  template <class To>
  void add(std::int64_t s, const Kept& kept, double times, const To& to) {
    KnownWeights known{rows_};
    scorer_.open(s);
    siblings_of_.open(s);
    const Real* row = kept.relations.data();
    for (const auto& [head, child, by] : kept.arcs) {
      const auto add_one = [&to, by = times * by](std::int64_t place) { to.add_from(place, &whole, 1, by); };
      scorer_.each_place(known, head, child, add_one, [&](const PackedRow& packed) {
        std::array<Real, PackedRow::width> four;
        for (std::size_t i = 0; i < four.size(); ++i) four[i] = row[packed.relations[i]];
        to.add_from(packed.few.place(), four.data(), PackedRow::width, times);
        if (packed.all.known()) to.add_from(packed.all.place(), row, relations_, times);
      });
      row += scorer_.stride();
    }
    for (const auto& [head, sibling, child, by] : kept.siblings)
      siblings_of_.each_place(known, head, sibling, child,
                              [&to, by = times * by](std::int64_t place) { to.add_from(place, &whole, 1, by); });
  }

 private:
  static constexpr Real whole = 1;

  void keep_arcs(Kept& out) {
    const auto stride = static_cast<std::size_t>(scorer_.stride());
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h == c || !(shares_(h, c) > least_)) continue;
        const Real* factors = factors_.data() + totals_.place(h, c) * stride;
        const auto times = static_cast<Real>(shares_(h, c) / totals_(h, c));
        out.arcs.push_back({h, c, shares_(h, c)});
        for (std::size_t r = 0; r < stride; ++r) out.relations.push_back(times * factors[r]);
      }
    }
  }
  void keep_siblings(Kept& out) {
    for (std::int32_t c = 1; c <= n_; ++c) {
      for (std::int32_t h = 0; h <= n_; ++h) {
        if (h == c || !(shares_(h, c) > least_)) continue;
        if (pairs_.first(h, c) > least_) out.siblings.push_back({h, 0, c, pairs_.first(h, c)});
        if (h == 0) continue;
        const double* row = pairs_.row(h, c);
        for (std::int32_t k = std::min(h, c) + 1; k < std::max(h, c); ++k, ++row) {
          if (*row > least_) out.siblings.push_back({h, k, c, *row});
        }
      }
    }
  }
  double score_siblings() {
    log_siblings_.close();
    if (!siblings_.scored()) return 0;
    log_siblings_.copy(siblings_, 1);
    double sum = 0;
    siblings_in_(tree_, relations_, [&](std::int32_t h, std::int32_t k, std::int32_t c) { sum += double(siblings_.of(h, k, c)); });
    return sum;
  }

  const ArcRows& rows_;
  const Instances& instances_;
  Codes gold_, tree_;  // tree_: that of the open sentence
  double least_;
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
};

}  // namespace riata
