// Exact inference over segments on plain arrays: for tests, for teaching, and for scores that come from other programs.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bind/array_scores.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/exact/segment_scores.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_kbest.hpp"
#include "inference/exact/semi_markov_sums.hpp"
#include "losses/segments.hpp"

namespace riata::bind {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

using Segment = std::array<std::int32_t, 3>;  // first token, token after the last, label

// span: [T, M, L]; edge: [L, L], or [T, L, L] (row 0 unused) if per_token, or empty.
SegmentScores as_segments(const In3<double>& span, const In<double>& edge, bool per_token) {
  const auto T = static_cast<std::int32_t>(span.shape(0)), M = static_cast<std::int32_t>(span.shape(1)),
             L = static_cast<std::int32_t>(span.shape(2));
  const std::size_t expected = std::size_t(L) * L * (per_token ? T : 1);
  if (T == 0 || M == 0 || L == 0 || (edge.shape(0) != 0 && edge.shape(0) != expected))
    throw Error("DataError", "scores must have the shapes [T, M, L] and [L, L] (or [T, L, L]), with at least one token, length and label");
  SegmentScores out;
  out.coding = {L, LabelId(), Length(M)};
  out.tokens = T;
  out.edge_per_token = per_token;
  out.span = padded_rows(span.data(), std::size_t(T) * M, L);
  out.edge = padded_rows(edge.data(), edge.shape(0) / static_cast<std::size_t>(L), L);
  out.none.assign(static_cast<std::size_t>(out.coding.stride()), 0.0);
  return out;
}

nb::list as_list(const SegmentCoding& coding, const std::vector<std::int32_t>& codes) {
  nb::list out;
  each_segment(coding, codes, [&](std::int32_t t, Length length, LabelId label, const Before&) {
    out.append(nb::make_tuple(t, t + length, label.number()));
  });
  return out;
}

nb::tuple best(SegmentScores& scores) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens));
  const double score = SemiMarkov<double>(scores.coding, scores.order())(scores, codes.data());
  return nb::make_tuple(as_list(scores.coding, codes), score);
}

// A list of (segments, score), best first; fewer than k if fewer are allowed.
nb::list best_k(SegmentScores& scores, std::int64_t k) {
  nb::list out;
  SemiMarkovKBest<double> list(scores.coding, scores.order());
  const auto poll = [] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  const std::int64_t found = list.open(scores, k, poll);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens));
  for (std::int64_t rank = 0; rank < found; ++rank) {
    if (rank % 1024 == 1023) poll();
    const double score = list(rank, codes.data());
    out.append(nb::make_tuple(as_list(scores.coding, codes), score));
  }
  return out;
}

// Changes the scores so that the best score up to any position is 0. Then every score is at most 0, and sums over all segmentations are
// precise, however large the scores were. Probabilities do not change. Returns the number that has been subtracted from the score of every
// segmentation.
double take_off_best(SegmentScores& scores) {
  const std::int32_t T = scores.tokens, M = scores.coding.most.number(), L = scores.coding.labels, stride = scores.coding.stride();
  const bool any_label = scores.order() == 0;  // whether the label before does not matter
  SemiMarkov<double> exact(scores.coding, scores.order());
  std::vector<std::int32_t> codes(static_cast<std::size_t>(T));
  const double best = exact(scores, codes.data());
  if (best == never) return best;
  const auto end = [&](std::int32_t t, LabelId y) {
    return t == T ? best : any_label ? exact.best_start(t, LabelId(0)) : exact.best_end(t, y);
  };
  const auto less = [](double way, double off) { return way == never ? never : way - off; };
  for (std::int32_t t = 0; t < T; ++t) {
    for (Length l(1); l <= scores.lengths(t); ++l) {
      double* row = scores.span.data() + (std::size_t(t) * M + l.place() - 1) * stride;
      for (LabelId y(0); y.number() < L; ++y) row[y.place()] = less(exact.best_start(t, y) + row[y.place()], end(t + l, y));
    }
  }
  if (any_label) return best;
  std::vector<double> edge(std::size_t(T) * L * stride, 0.0);
  for (std::int32_t t = 1; t < T; ++t) {
    for (LabelId before(0); before.number() < L; ++before) {
      const double* from = scores.history(t, {{before.value()}});
      double* row = edge.data() + (std::size_t(t) * L + before.place()) * stride;
      for (LabelId y(0); y.number() < L; ++y) row[y.place()] = less(exact.best_end(t, before) + from[y.place()], exact.best_start(t, y));
    }
  }
  scores.edge = std::move(edge);
  scores.edge_per_token = true;
  return best;
}

// log Z and the posteriors of segments, in the shape of their scores; no posteriors if all segmentations are forbidden.
std::pair<double, Out<double>> sums(SegmentScores& scores) {
  const double best = take_off_best(scores);
  if (best == never) return {never, give(std::vector<double>())};
  SemiMarkovSums<double> all(scores.coding, scores.order());
  const double log_z = best + all.open(scores, 1.0);
  const std::size_t M = scores.coding.most.place();
  std::vector<double> posteriors(std::size_t(scores.tokens) * M * scores.coding.labels, 0.0);
  for (std::int32_t t = 0; t < scores.tokens; ++t) {
    for (Length l(1); l <= scores.lengths(t); ++l) {
      for (LabelId y(0); y.number() < scores.coding.labels; ++y)
        posteriors[(std::size_t(t) * M + l.place() - 1) * scores.coding.labels + y.place()] = std::min(all.posterior(t, l, y), 1.0);
    }
  }
  return {log_z, give(std::move(posteriors))};
}

// gold: segments that cover the sentence; they may be longer than those that have scores.
void add_loss(SegmentScores& scores, const std::vector<Segment>& gold, double cost) {
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens), -1);
  for (const auto& [first, end, label] : gold)
    codes[static_cast<std::size_t>(first)] = scores.coding.code(Length(end - first), LabelId(label));
  SegmentLoss loss(scores.coding);
  loss.open(codes);
  for (std::int32_t t = 0; t < scores.tokens; ++t) {
    double* row = scores.span.data() + std::size_t(t) * scores.coding.most.place() * scores.coding.stride();
    for (Length l(1); l <= scores.lengths(t); ++l, row += scores.coding.stride()) {
      for (LabelId y(0); y.number() < scores.coding.labels; ++y) row[y.place()] += cost * loss.of(t, l, y);
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
        bool ok = true;
        std::int32_t next = 0;
        for (const auto& [first, end, label] : gold) {
          ok = ok && first == next && end > first && end <= scores.tokens && label >= 0 && label < scores.coding.labels;
          next = end;
        }
        if (!ok || next != scores.tokens) throw Error("DataError", "gold must cover the sentence");
        add_loss(scores, gold, cost);
        return best(scores);
      },
      nb::arg("span"), nb::arg("edge"), nb::arg("per_token"), nb::arg("gold"), nb::arg("cost") = 1.0,
      "The segments that maximise score + cost x loss, and that maximum.");
}

const Bindings entered(segment_arrays);

}  // namespace
}  // namespace riata::bind
