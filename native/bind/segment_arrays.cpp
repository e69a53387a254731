// Exact inference over segments on plain arrays: for tests, for teaching, and for scores that come from other programs.
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "bind/array_scores.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/exact/segment_scores.hpp"
#include "inference/exact/semi_markov.hpp"
#include "inference/exact/semi_markov_list.hpp"
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

// A list of (segments, score), best first; fewer than k if fewer are allowed. All are found before the first Python object is made: making
// objects may collect garbage, and a function of Python that is called then would swallow what a signal raises.
nb::list best_k(SegmentScores& scores, std::int64_t k) {
  SemiMarkovList list(scores.coding, scores.order());
  list.open(scores);
  std::vector<std::vector<std::int32_t>> found;
  std::vector<double> values;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(scores.tokens));
  while (static_cast<std::int64_t>(found.size()) < k) {
    if (found.size() % 64 == 63 && PyErr_CheckSignals() != 0) throw nb::python_error();
    const std::optional<double> score = list.next(codes.data());
    if (!score) break;
    found.push_back(codes);
    values.push_back(*score);
  }
  nb::list out;
  for (std::size_t rank = 0; rank < found.size(); ++rank) out.append(nb::make_tuple(as_list(scores.coding, found[rank]), values[rank]));
  return out;
}

// log Z and the posteriors of segments, in the shape of their scores; no posteriors if all segmentations are forbidden.
std::pair<double, Out<double>> sums(SegmentScores& scores) {
  SemiMarkovSums<double> all(scores.coding, scores.order());
  const double log_z = all.open(scores, 1.0);
  if (log_z == never) return {never, give(std::vector<double>())};
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
