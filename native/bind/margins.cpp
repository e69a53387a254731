// The margins of chains.
#include "bind/margins.hpp"

#include "bind/chain.hpp"
#include "bind/module.hpp"
#include "bind/search.hpp"
#include "learning/chain_margins.hpp"

namespace riata::bind {
namespace {

template <class Real>
void bind_precision(nb::module_& m) {
  m.def(
      "chain_margins",
      [](const Weights<Real>& weights, const FeatureIndex& index, const Instances& instances, const Flags& start, const Flags& end,
         const Flags& follow, const nb::dict& settings, const nb::object& progress) {
        const Constraint<Real> constraint = as_constraint(weights, start, end, follow);
        return measured(settings, progress, [&](const QueueSpec& queue, double p, const Poll& poll) {
          return chain_margins(index, weights, constraint, instances, queue, p, poll);
        });
      },
      nb::arg("weights"), nb::arg("index"), nb::arg("instances"), nb::arg("start"), nb::arg("end"), nb::arg("follow"), nb::arg("settings"),
      nb::arg("progress").none() = nb::none(), "What a search with these weights shows of its margins. The instances must have labels.");
}

}  // namespace

void margins(nb::module_& m) {
  bind_precision<float>(m);
  bind_precision<double>(m);
}

}  // namespace riata::bind
