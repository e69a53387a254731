// Exact inference on plain arrays: for tests, for teaching, and for scores that come from other programs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>

#include "bind/array_scores.hpp"
#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/exact/hamming.hpp"
#include "inference/exact/kbest.hpp"
#include "inference/exact/viterbi.hpp"

namespace riata::bind {
namespace {

// node: [T, L]; edge: [L, L], or [T, L, L] (row 0 unused) if per_token.
ChainScores<double> as_chain(const In2<double>& node, const In<double>& edge, bool per_token) {
  const auto T = static_cast<std::int32_t>(node.shape(0)), L = static_cast<std::int32_t>(node.shape(1));
  const std::size_t expected = std::size_t(L) * L * (per_token ? T : 1);
  if (T == 0 || L == 0 || edge.shape(0) != expected)
    throw Error("DataError", "scores must have the shapes [T, L] and [L, L] (or [T, L, L]), with at least one token and one label");
  ChainScores<double> chain;
  chain.length = T;
  chain.labels = L;
  chain.stride = padded(L);
  chain.edge_per_token = per_token;
  chain.node = padded_rows(node.data(), static_cast<std::size_t>(T), L);
  chain.edge = padded_rows(edge.data(), expected / static_cast<std::size_t>(L), L);
  return chain;
}

std::pair<Out<std::int32_t>, double> best(const ChainScores<double>& chain) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(chain.length));
  const double score = Viterbi<double>()(chain, labels.data());
  return {give(std::move(labels)), score};
}

// A list of (labels, score), best first; fewer than k if fewer are allowed.
nb::list best_k(const ChainScores<double>& chain, std::int64_t k) {
  nb::list out;
  KBest<ForwardScores<double>> kbest;
  kbest.open(chain);
  for (; k > 0; --k) {
    if (k % 1024 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    std::vector<std::int32_t> labels(static_cast<std::size_t>(chain.length));
    const std::optional<double> score = kbest.next(labels.data());
    if (!score) break;
    out.append(nb::make_tuple(give(std::move(labels)), *score));
  }
  return out;
}

void inference(nb::module_& m) {
  m.def(
      "viterbi", [](const In2<double>& node, const In<double>& edge, bool per_token) { return best(as_chain(node, edge, per_token)); },
      nb::arg("node"), nb::arg("edge"), nb::arg("per_token"), "The best labels and their score.");
  m.def(
      "kbest",
      [](const In2<double>& node, const In<double>& edge, bool per_token, std::int64_t k) {
        return best_k(as_chain(node, edge, per_token), k);
      },
      nb::arg("node"), nb::arg("edge"), nb::arg("per_token"), nb::arg("k"), "The k best label sequences with their scores, best first.");
  m.def(
      "loss_augmented_viterbi",
      [](const In2<double>& node, const In<double>& edge, bool per_token, const In<std::int32_t>& gold, double cost) {
        ChainScores<double> chain = as_chain(node, edge, per_token);
        bool ok = gold.shape(0) == node.shape(0);
        for (const std::int32_t label : view(gold)) ok = ok && label >= 0 && label < chain.labels;
        if (!ok) throw Error("DataError", "gold must hold one label id per token");
        add_hamming(chain, gold.data(), cost);
        return best(chain);
      },
      nb::arg("node"), nb::arg("edge"), nb::arg("per_token"), nb::arg("gold"), nb::arg("cost") = 1.0,
      "The labels that maximise score + cost x Hamming loss, and that maximum.");
}

const Bindings entered(inference);

}  // namespace
}  // namespace riata::bind
