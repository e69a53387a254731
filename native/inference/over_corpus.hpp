// What questions about a corpus have in common: a model that is only read, a loop over sentences, and a search.
#pragma once

#include <cstdint>
#include <memory>

#include "core/poll.hpp"
#include "inference/model.hpp"
#include "inference/search/engine.hpp"

namespace riata {

// A model for reading, over a corpus that fits it.
template <class Real>
struct Opened {
  Opened(const Model<Real>& model, const Corpus& corpus) : weights(Vector<Real>::of(model.flat())) {
    model.check(corpus, model.flat().size());
    structure = model.over(corpus, weights);
  }
  Vector<Real> weights;
  std::unique_ptr<Structure<Real>> structure;
};

// Calls visit(sentence) for all sentences that have tokens, until the poll says to stop.
template <class Real, class Visit>
void each_sentence(const Model<Real>& model, const Corpus& corpus, const Poll& poll, Visit visit) {
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    if (corpus.length(s) > 0) visit(s);
  }
}

// A search over the sentences of a corpus. It also polls during the search of a long sentence.
struct CorpusSearch {
  CorpusSearch(CorpusSpace& space, const QueueSpec& queue, const Limits& limits, const Poll& poll)
      : pending(make_queue(queue)), search(space, *pending, polled(limits, poll)) {}
  CorpusSearch(const CorpusSearch&) = delete;
  CorpusSearch& operator=(const CorpusSearch&) = delete;
  Limits polled(Limits limits, const Poll& poll) {
    limits.poll = [this, &poll] { poll(at); };
    return limits;
  }
  std::int64_t at = 0;
  std::unique_ptr<Queue> pending;
  Search search;
};

}  // namespace riata
