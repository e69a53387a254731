// Votes of the labels of a first pass over a text, for the second pass.
#include <cstdint>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/module.hpp"
#include "bind/poll.hpp"
#include "core/error.hpp"
#include "features/context_votes.hpp"

namespace riata::bind {
namespace {

bool fits(const FirstLabels& first, const ContextScope& scope) {
  const std::size_t labels = first.types.size(), sentences = first.starts.size() - 1;
  bool ok = first.starts.front() == 0 && static_cast<std::size_t>(first.starts.back()) == first.words.size() &&
            first.lower_words.size() == first.words.size() && first.labels.size() == first.words.size() &&
            first.goes_on.size() == labels * labels && (scope.groups.empty() || scope.groups.size() == sentences) && scope.window >= 0 &&
            scope.from >= 0;
  for (std::size_t s = 0; ok && s < sentences; ++s) ok = first.starts[s] <= first.starts[s + 1];
  for (std::size_t t = 0; ok && t < first.words.size(); ++t) {
    ok = first.words[t] >= 0 && first.lower_words[t] >= 0 && first.labels[t] >= 0 &&
         (labels == 0 || static_cast<std::size_t>(first.labels[t]) < labels);
  }
  for (const std::int32_t type : first.types) ok = ok && type >= -1;
  return ok;
}

nb::tuple votes(const In<std::int32_t>& words, const In<std::int32_t>& lower_words, const In<std::int32_t>& labels,
                const In<std::int64_t>& starts, const In<std::int32_t>& types, const In<std::uint8_t>& goes_on,
                const In<std::int32_t>& groups, std::int64_t window, std::int64_t from) {
  const FirstLabels first{view(words), view(lower_words), view(labels), view(starts), view(types), view(goes_on)};
  const ContextScope scope{view(groups), window, from};
  if (first.starts.empty() || !fits(first, scope)) throw Error("RiataError", "the labels of the first pass do not fit the sentences");
  const Poll poll = as_poll(nb::none());
  ContextVotes found;
  {
    nb::gil_scoped_release release;
    found = context_votes(first, scope, poll);
  }
  return nb::make_tuple(give(std::move(found.word)), give(std::move(found.lower_word)), give(std::move(found.chunk)),
                        give(std::move(found.longer)));
}

void context(nb::module_& m) {
  m.def(
      "context_votes", &votes, nb::arg("words"), nb::arg("lower_words"), nb::arg("labels"), nb::arg("starts"), nb::arg("types"),
      nb::arg("goes_on"), nb::arg("groups"), nb::arg("window"), nb::arg("from_"),
      "Of every token the most frequent label of the same word elsewhere, as written and in lower case, the chunk that the same words are "
      "elsewhere, and that of longer chunks which contain it; -1: none. Chunks: 2 * type, + 1 for all but the first token.");
}

const Bindings entered(context);

}  // namespace
}  // namespace riata::bind
