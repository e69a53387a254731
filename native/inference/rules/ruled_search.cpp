#include "inference/rules/ruled_search.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace riata {

template <class Real>
RuledSearch<Real>::RuledSearch(const Model<Real>& model, Structure<Real>& structure, const Rules& rules, const QueueSpec& queue,
                               const Limits& limits, std::span<const std::int64_t> numbers, const RuledLimits& most, const Poll& poll)
    : model_(model), structure_(structure), rules_(rules), numbers_(numbers), most_(most), poll_(poll) {
  Limits few = limits;
  few.max_nodes = std::min(limits.max_nodes, most.nodes);
  const auto attempt = [&](QueueSpec how, const Limits& within, Answered found = Answered::searched, bool complete = false,
                           bool looks_ahead = false,
                           If tried = If::always) { attempts_.push_back({std::move(how), within, found, complete, looks_ahead, tried}); };
  if (queue.name != "exact") {
    const bool beam = queue.by_level();
    attempt(queue, limits, Answered::searched, false, beam);
    for (std::int64_t width = queue.name == "greedy" ? 1 : queue.width; beam && width < most.width;) {
      width = std::min(4 * width, most.width);
      attempt({"beam", width, queue.name == "beam" ? queue.by : "operations", queue.merge}, limits, Answered::searched, false, true);
    }
  }
  attempt({"a-star", unbounded, "operations", true}, few, Answered::searched, true, true);
  attempt({"beam", unbounded, "prefix", true}, few, Answered::searched, true, false, If::blind);
  attempt({"beam", most.width, "prefix", true}, limits, Answered::cut, false, false, If::too_many);
  rules.check_tracks(model.part_tracks());
}

template <class Real>
void RuledSearch<Real>::prepare(Attempt& attempt) {
  if (attempt.space) return;
  attempt.space = std::make_unique<ConstrainedSpace>(
      structure_.corpus(), rules_, [this](Codes output, std::vector<Part>& out) { model_.parts(output, out); }, attempt.queue,
      [this](const QueueSpec& queue) { return structure_.space(queue); }, numbers_);
  attempt.search = std::make_unique<CorpusSearch>(*attempt.space, attempt.queue, attempt.limits, poll_);
}

template <class Real>
typename RuledSearch<Real>::Found RuledSearch<Real>::find(std::int64_t s, std::span<std::int32_t> out) {
  bool too_many = false, blind = false;
  for (Attempt& attempt : attempts_) {
    if ((attempt.tried == If::too_many && !too_many) || (attempt.tried == If::blind && !blind)) continue;
    prepare(attempt);
    attempt.search->at = s;
    attempt.space->open(s, false);
    if (attempt.looks_ahead && !attempt.space->look_ahead(most_.steps)) {
      blind = true;
      if (attempt.complete) continue;
    }
    NodeId goal;
    try {
      goal = attempt.search->search.run();
    } catch (const Error& error) {
      if (error.kind() != "SearchError") throw;
      too_many = true;
      continue;
    }
    if (goal) {
      const Tree& tree = attempt.search->search.tree();
      attempt.space->codes(tree.path(goal), out);
      found_by_ = &attempt;
      goal_ = goal;
      return {attempt.how, tree[goal].score};
    }
    if (attempt.complete) break;
  }
  return {};
}

template <class Real>
void RuledSearch<Real>::list(std::int64_t s, std::int64_t n, BestOutputs& out) {
  found_.resize(static_cast<std::size_t>(structure_.corpus().length(s)));
  if (find(s, found_).how == Answered::none) return;
  add_goals(found_by_->search->search, *found_by_->space, goal_, n, found_.size(), found_by_->space->due(), out);
}

namespace {

void check_numbers(const Rules& rules, const Corpus& corpus, std::span<const std::int64_t> numbers) {
  if (numbers.empty()) rules.check_sentences(corpus.sentences());
  if (!numbers.empty() && static_cast<std::int64_t>(numbers.size()) != corpus.sentences())
    throw Error("RiataError", "the numbers of sentences do not fit the sentences");
}

}  // namespace

template <class Real>
BestOutputs nbest_under(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, const Rules& rules,
                        std::span<const std::int64_t> numbers, std::int64_t n, const RuledLimits& most, const Poll& poll) {
  check_numbers(rules, corpus, numbers);
  Opened<Real> opened(model, corpus);
  RuledSearch<Real> search(model, *opened.structure, rules, queue, limits, numbers, most, poll);
  BestOutputs out;
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    out.counts.push_back(0);
    if (corpus.length(s) == 0)
      out.add({}, 0);
    else
      search.list(s, n, out);
  }
  return out;
}

template <class Real>
RuledOutputs decode_under(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, const Rules& rules,
                          std::span<const std::int64_t> numbers, const RuledLimits& most, const Poll& poll) {
  check_numbers(rules, corpus, numbers);
  Opened<Real> opened(model, corpus);
  RuledSearch<Real> search(model, *opened.structure, rules, queue, limits, numbers, most, poll);
  RuledOutputs out{std::vector<std::int32_t>(static_cast<std::size_t>(corpus.instances.tokens()), -1),
                   std::vector<std::uint8_t>(static_cast<std::size_t>(corpus.sentences()), static_cast<std::uint8_t>(Answered::none))};
  for (std::size_t s = 0; s < out.how.size(); ++s) {
    if (corpus.length(static_cast<std::int64_t>(s)) == 0) out.how[s] = static_cast<std::uint8_t>(Answered::clean);
  }
  each_sentence(model, corpus, poll, [&](std::int64_t s) {
    out.how[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(search.find(s, corpus.part(std::span(out.codes), s)).how);
  });
  return out;
}

#define RIATA_RULED(Real)                                                                                              \
  template class RuledSearch<Real>;                                                                                    \
  template RuledOutputs decode_under(const Model<Real>&, const Corpus&, const QueueSpec&, const Limits&, const Rules&, \
                                     std::span<const std::int64_t>, const RuledLimits&, const Poll&);                  \
  template BestOutputs nbest_under(const Model<Real>&, const Corpus&, const QueueSpec&, const Limits&, const Rules&,   \
                                   std::span<const std::int64_t>, std::int64_t, const RuledLimits&, const Poll&);
RIATA_RULED(float)
RIATA_RULED(double)
#undef RIATA_RULED

}  // namespace riata
