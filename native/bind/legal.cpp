// What is known of labels: whether there are legal ones that agree with it.
#include <cstdint>

#include "bind/arrays.hpp"
#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "core/error.hpp"
#include "inference/legal_labels.hpp"
#include "inference/legal_segments.hpp"

namespace riata::bind {
namespace {

// find(first token, length): as LegalLabels and LegalSegments have it. Returns a token of all sentences, or -1.
template <class Find>
std::int64_t first_stuck(const Instances& instances, Find find) {
  nb::gil_scoped_release release;
  for (std::int64_t s = 0; s < instances.sentences(); ++s) {
    const std::int32_t at = find(instances.starts[static_cast<std::size_t>(s)], static_cast<std::int32_t>(instances.length(s)));
    if (at >= 0) return instances.starts[static_cast<std::size_t>(s)] + at;
  }
  return -1;
}

void allow(Instances& instances, const In2<std::uint8_t>& sets, const In<std::int32_t>& of) {
  bool ok = static_cast<std::int64_t>(of.shape(0)) == instances.tokens();
  for (const std::int32_t set : view(of)) ok = ok && set >= -1 && set < static_cast<std::int32_t>(sets.shape(0));
  if (!ok) throw Error("RiataError", "what is allowed does not fit the sentences");
  instances.allowed = {{sets.data(), sets.data() + sets.size()}, sets.shape(1), copy(of)};
}

}  // namespace

void legal(nb::module_& m) {
  m.def("allow", &allow, nb::arg("instances"), nb::arg("sets"), nb::arg("of"),
        "Which labels decoding may give: sets of them, as flags, and the set of every token, -1 where any will do.");
  m.def("stuck_labels", [](const Instances& instances, const Flags& start, const Flags& end, const Flags& follow) {
          const auto labels = static_cast<std::int32_t>(start.shape(0));
          const Constraint<float> constraint = as_constraint(Weights<float>(labels), start, end, follow);
          LegalLabels found;
          return first_stuck(instances, [&](std::int64_t first, std::int32_t length) { return found.find(constraint, labels, padded(labels), instances.allowed, first, length); });
        }, nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"),
        "The first token at which no legal labelling goes on with what is allowed; -1: every sentence has one.");
  m.def("stuck_segments", [](const Instances& instances, std::int32_t labels, std::int32_t outside, std::int32_t most) {
          const SegmentKinds kinds{labels, outside, most};
          LegalSegments found;
          return first_stuck(instances, [&](std::int64_t first, std::int32_t length) { return found.find(kinds, instances.allowed, first, length); });
        }, nb::arg("instances"), nb::arg("labels"), nb::arg("outside"), nb::arg("most"), "The same for segments.");
}

}  // namespace riata::bind
