// Whether there are legal labels that agree with the known labels of a sentence.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/legal_labels.hpp"
#include "inference/legal_segments.hpp"

namespace riata::bind {
namespace {

// sets: flags; of: the set of every token, -1 if the token may have any label.
Allowed as_allowed(const In2<std::uint8_t>& sets, const In<std::int32_t>& of, std::int64_t tokens) {
  bool ok = static_cast<std::int64_t>(of.shape(0)) == tokens;
  for (const std::int32_t set : view(of)) ok = ok && set >= -1 && set < static_cast<std::int32_t>(sets.shape(0));
  if (!ok) throw Error("RiataError", "what is allowed does not fit the sentences");
  return {{sets.data(), sets.data() + sets.size()}, sets.shape(1), copy(of)};
}

// find(allowed, first token, length): LegalLabels::find or LegalSegments::find. Returns, for sentences without a legal output, the first
// token at which none is left.
template <class Find>
std::vector<std::int64_t> all_stuck(const In<std::int64_t>& starts, const In2<std::uint8_t>& sets, const In<std::int32_t>& of, Find find) {
  const std::vector<std::int64_t> bounds = copy(starts);
  if (bounds.empty() || bounds.front() != 0 || !std::is_sorted(bounds.begin(), bounds.end()))
    throw Error("RiataError", "the starts of sentences do not rise");
  const Allowed allowed = as_allowed(sets, of, bounds.back());
  nb::gil_scoped_release release;
  std::vector<std::int64_t> out;
  for (std::size_t s = 0; s + 1 < bounds.size(); ++s) {
    const std::int32_t at = find(allowed, bounds[s], static_cast<std::int32_t>(bounds[s + 1] - bounds[s]));
    if (at >= 0) out.push_back(bounds[s] + at);
  }
  return out;
}

void legal(nb::module_& m) {
  m.def(
      "allow",
      [](Instances& instances, const In2<std::uint8_t>& sets, const In<std::int32_t>& of) {
        instances.allowed = as_allowed(sets, of, instances.tokens());
      },
      nb::arg("instances"), nb::arg("sets"), nb::arg("of"),
      "Which labels decoding may give: sets of them, as flags, and the set of every token, -1 where any will do.");
  m.def(
      "stuck_labels",
      [](const In<std::int64_t>& starts, const In2<std::uint8_t>& sets, const In<std::int32_t>& of, const Flags& start, const Flags& end,
         const Flags& follow) {
        const auto labels = static_cast<std::int32_t>(start.shape(0));
        const Constraint<float> constraint = as_constraint<float>(labels, start, end, follow);
        LegalLabels found;
        return give(all_stuck(starts, sets, of, [&](const Allowed& allowed, std::int64_t first, std::int32_t length) {
          return found.find(constraint, labels, allowed, first, length);
        }));
      },
      nb::arg("starts"), nb::arg("sets"), nb::arg("of"), nb::arg("start"), nb::arg("end"), nb::arg("follow"),
      "Of sentences that have no legal labelling with what is allowed, the tokens at which none goes on.");
  m.def(
      "stuck_segments",
      [](const In<std::int64_t>& starts, const In2<std::uint8_t>& sets, const In<std::int32_t>& of, std::int32_t labels,
         std::int32_t outside, std::int32_t most) {
        const SegmentCoding coding{labels, LabelId(outside), Length(most)};
        LegalSegments found;
        return give(all_stuck(starts, sets, of, [&](const Allowed& allowed, std::int64_t first, std::int32_t length) {
          return found.find(coding, allowed, first, length);
        }));
      },
      nb::arg("starts"), nb::arg("sets"), nb::arg("of"), nb::arg("labels"), nb::arg("outside"), nb::arg("most"), "The same for segments.");
}

const Bindings entered(legal);

}  // namespace
}  // namespace riata::bind
