// Questions about dependency trees that need no model: whether there is a tree with given heads, and the closest tree without crossing
// arcs.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/exact/eisner.hpp"
#include "inference/exact/spanning_tree.hpp"
#include "inference/structures/closest_projective.hpp"

namespace riata::bind {
namespace {

// Python has checked what users can do wrong, so the message only says that something does not fit.
void check(bool ok) {
  if (!ok) throw Error("RiataError", "the heads do not fit the sentences");
}

// What is known of the heads of tokens: the head, -1 where any will do; and, [tokens] or empty, whether a token may be headed by the root
// (1), by others (2) or by both (3).
struct KnownHeads {
  std::span<const std::int32_t> heads;
  std::span<const std::uint8_t> by;
  bool allow(std::size_t token, std::int32_t head) const noexcept {
    return (heads[token] < 0 || heads[token] == head) && (by.empty() || (by[token] & (head == 0 ? 1 : 2)) != 0);
  }
  bool knows(std::size_t token) const noexcept { return heads[token] >= 0 || (!by.empty() && by[token] != 3); }
};

// Of sentences without a tree that has the given heads, the first token whose head no tree has beside those before it.
template <class Best>
std::vector<std::int64_t> stuck(std::span<const std::int64_t> starts, const KnownHeads& known) {
  std::vector<std::int64_t> out;
  ArcScores<float> arcs;
  Best best;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const auto n = static_cast<std::int32_t>(starts[s + 1] - starts[s]);
    const auto begin = static_cast<std::size_t>(starts[s]);
    std::vector<std::int32_t> tree(static_cast<std::size_t>(n));
    const auto fits = [&](std::int32_t first) {  // whether there is a tree with what is known of the first tokens
      arcs.open(n, 0.0f);
      for (std::int32_t c = 1; c <= n; ++c) {
        for (std::int32_t h = 0; h <= n; ++h) {
          if (h == c || (c <= first && !known.allow(begin + static_cast<std::size_t>(c - 1), h))) arcs(h, c) = ArcScores<float>::forbidden;
        }
      }
      return !std::isinf(best.best(arcs, tree));
    };
    bool any = false;
    for (std::size_t t = begin; t < begin + tree.size(); ++t) any = any || known.knows(t);
    if (!any || fits(n)) continue;
    std::int32_t low = 0, high = n;
    while (high - low > 1) {
      const std::int32_t middle = (low + high) / 2;
      (fits(middle) ? low : high) = middle;
    }
    out.push_back(starts[s] + high - 1);
  }
  return out;
}

Out<std::int64_t> stuck_trees(const In<std::int64_t>& starts, const In<std::int32_t>& heads, bool projective, const In<std::uint8_t>& by) {
  check(by.shape(0) == 0 || by.shape(0) == heads.shape(0));
  check(starts.shape(0) >= 1 && view(starts).front() == 0 && std::ranges::is_sorted(view(starts)) &&
        view(starts).back() == static_cast<std::int64_t>(heads.shape(0)));
  std::vector<std::int64_t> found;
  {
    nb::gil_scoped_release release;
    const KnownHeads known{view(heads), view(by)};
    found = projective ? stuck<Eisner<float>>(view(starts), known) : stuck<SpanningTree<float>>(view(starts), known);
  }
  return give(std::move(found));
}

Out<std::int32_t> closest(const In<std::int32_t>& heads, const In<std::int64_t>& starts, bool same_root) {
  std::vector<std::int32_t> out(heads.data(), heads.data() + heads.shape(0));
  check(starts.shape(0) >= 1 && view(starts).front() == 0 && view(starts).back() == static_cast<std::int64_t>(out.size()));
  for (std::size_t s = 0; s + 1 < starts.shape(0); ++s) {
    const std::int64_t low = view(starts)[s], high = view(starts)[s + 1];
    check(low <= high);
    const auto tree = std::span(out).subspan(static_cast<std::size_t>(low), static_cast<std::size_t>(high - low));
    for (const std::int32_t head : tree) check(head >= 0 && head <= high - low);
    closest_projective(tree, same_root);
  }
  return give(std::move(out));
}

void trees(nb::module_& m) {
  m.def("stuck_trees", &stuck_trees, nb::arg("starts"), nb::arg("heads"), nb::arg("projective"), nb::arg("by"),
        "Of sentences without a tree that has the given heads, the first token at which none is left. heads: -1 where any head will do. "
        "by: whether a token may be headed by the root (1), by others (2) or by both (3); or empty.");
  m.def("closest_projective", &closest, nb::arg("heads"), nb::arg("starts"), nb::arg("same_root"),
        "Of every tree the closest one without crossing arcs: with as many of its arcs as possible. same_root: and with its root.");
}

const Bindings entered(trees);

}  // namespace
}  // namespace riata::bind
