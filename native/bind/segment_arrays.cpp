// Exact inference over segments on plain arrays: for tests, for teaching, and for scores that come from elsewhere.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "bind/array_scores.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/exact/segment_scores.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_kbest.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "losses/segments.hpp"

namespace riata::bind {
namespace {

using Segment = std::array<std::int32_t, 3>;  // its first token, the token after its last, its label

// span [T, M, L]; edge [L, L] or [T, L, L] (row 0 unused), as given by `per_token`, or nothing.
SegmentScores as_segments(const In3<double>& span, const In<double>& edge, bool per_token) {
  const auto T = static_cast<std::int32_t>(span.shape(0)), M = static_cast<std::int32_t>(span.shape(1)),
             L = static_cast<std::int32_t>(span.shape(2));
  const std::size_t expected = std::size_t(L) * L * (per_token ? T : 1);
  if (T == 0 || M == 0 || L == 0 || (edge.shape(0) != 0 && edge.shape(0) != expected))
    throw Error("DataError", "scores must have the shapes [T, M, L] and [L, L] (or [T, L, L]), with at least one token, length and label");
  SegmentScores out;
  out.coding = {L, -1, M};
  out.tokens = T;
  out.edge_per_token = per_token;
  out.span = padded_rows(span.data(), std::size_t(T) * M, L);
  out.edge = padded_rows(edge.data(), edge.shape(0) / static_cast<std::size_t>(L), L);
  out.none.assign(static_cast<std::size_t>(out.coding.stride()), 0.0);
  return out;
}

nb::list as_list(const SegmentCoding& coding, const std::vector<std::int32_t>& codes) {
  nb::list out;
  each_segment(coding, codes, [&](std::int32_t t, std::int32_t code, const Before&) {
    out.append(nb::make_tuple(t, t + coding.length(code), coding.label(code)));
  });
  return out;
}

nb::tuple best(SegmentScores& scores) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens));
  const double score = SemiMarkov<double>(scores.coding, scores.coding.stride(), scores.order())(scores, codes.data());
  return nb::make_tuple(as_list(scores.coding, codes), score);
}

// A list of (segments, score), best first; fewer than k where fewer are allowed.
nb::list best_k(SegmentScores& scores, std::int64_t k) {
  nb::list out;
  SemiMarkovKBest<double> list(scores.coding, scores.coding.stride(), scores.order());
  const std::int64_t found = list.open(scores, k);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens));
  for (std::int64_t rank = 0; rank < found; ++rank) {
    const double score = list(rank, codes.data());
    out.append(nb::make_tuple(as_list(scores.coding, codes), score));
  }
  return out;
}

// log Z and the posteriors of segments, in the shape of their scores; none where all segmentations are forbidden.
std::pair<double, Out<double>> sums(SegmentScores& scores) {
  SemiMarkovSums<double> all(scores.coding, scores.coding.stride(), scores.order());
  const double log_z = all.open(scores, 1.0);
  std::vector<double> posteriors(std::isfinite(log_z) ? std::size_t(scores.tokens) * scores.coding.most * scores.coding.labels : 0, 0.0);
  for (std::int32_t t = 0; t < scores.tokens && !posteriors.empty(); ++t) {
    for (std::int32_t l = 1; l <= scores.lengths(t); ++l) {
      for (std::int32_t y = 0; y < scores.coding.labels; ++y)
        posteriors[(std::size_t(t) * scores.coding.most + l - 1) * scores.coding.labels + y] = all.posterior(t, l, y);
    }
  }
  return {log_z, give(std::move(posteriors))};
}

// gold: segments that cover the sentence; longer ones than the scores have may be among them.
void add_loss(SegmentScores& scores, const std::vector<Segment>& gold, double cost) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens), -1);
  for (const auto& [first, end, label] : gold) codes[static_cast<std::size_t>(first)] = scores.coding.code(end - first, label);
  SegmentLoss loss(scores.coding);
  loss.open(codes);
  for (std::int32_t t = 0; t < scores.tokens; ++t) {
    double* row = scores.span.data() + std::size_t(t) * scores.coding.most * scores.coding.stride();
    for (std::int32_t l = 1; l <= scores.lengths(t); ++l, row += scores.coding.stride()) {
      for (std::int32_t y = 0; y < scores.coding.labels; ++y) row[y] += cost * loss.of(t, scores.coding.code(l, y));
    }
  }
}

void segment_arrays(nb::module_& m) {
  m.def(
      "segment_viterbi",
      [](const In3<double>& span, const In<double>& edge, bool per_token) {
        SegmentScores scores = as_segments(span, edge, per_token);
        return best(scores);
      },
      nb::arg("span"), nb::arg("edge"), nb::arg("per_token"), "The best segments and their score.");
  m.def(
      "segment_kbest",
      [](const In3<double>& span, const In<double>& edge, bool per_token, std::int64_t k) {
        SegmentScores scores = as_segments(span, edge, per_token);
        return best_k(scores, k);
      },
      nb::arg("span"), nb::arg("edge"), nb::arg("per_token"), nb::arg("k"), "The k best segmentations with their scores, best first.");
  m.def(
      "segment_sums",
      [](const In3<double>& span, const In<double>& edge, bool per_token) {
        SegmentScores scores = as_segments(span, edge, per_token);
        return sums(scores);
      },
      nb::arg("span"), nb::arg("edge"), nb::arg("per_token"), "log Z, and the posteriors of segments as one row.");
  m.def(
      "loss_augmented_segment_viterbi",
      [](const In3<double>& span, const In<double>& edge, bool per_token, const std::vector<Segment>& gold, double cost) {
        SegmentScores scores = as_segments(span, edge, per_token);
        bool ok = std::isfinite(cost);
        std::int32_t next = 0;
        for (const auto& [first, end, label] : gold) {
          ok = ok && first == next && end > first && end <= scores.tokens && label >= 0 && label < scores.coding.labels;
          next = end;
        }
        if (!ok || next != scores.tokens) throw Error("DataError", "gold must cover the sentence, and the cost must be finite");
        add_loss(scores, gold, cost);
        return best(scores);
      },
      nb::arg("span"), nb::arg("edge"), nb::arg("per_token"), nb::arg("gold"), nb::arg("cost") = 1.0,
      "The segments that maximise score + cost x loss, and that maximum.");
}

const Bindings entered(segment_arrays);

}  // namespace
}  // namespace riata::bind
