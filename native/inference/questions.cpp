#include "inference/questions.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "inference/over_corpus.hpp"
#include "inference/search/lattice.hpp"

namespace riata {
namespace {

Poll never_stop() {
  return [](std::int64_t) { return true; };
}

void append(const Difference& features, FeaturePlaces& out) {
  out.counts.push_back(static_cast<std::int64_t>(features.size()));
  for (const auto& [place, value] : features) {
    out.places.push_back(place);
    out.values.push_back(value);
  }
}

// The best output of the open sentence, if any is allowed; and the next output of its list.
constexpr auto only_best = [](auto& structure, std::span<std::int32_t> out) -> std::optional<double> {
  const double score = structure.best(out);
  if (score == -std::numeric_limits<double>::infinity()) return std::nullopt;
  return score;
};
constexpr auto next_best = [](auto& structure, std::span<std::int32_t> out) { return structure.next(out); };

// The n best outputs of every sentence. prepare(structure) opens a list or changes the scores of the open sentence; next(structure, output)
// writes the next best output and returns its score.
template <class Real, class Prepare, class Next>
BestOutputs best_of_each(const Model<Real>& model, Structure<Real>& structure, std::int64_t n, const Poll& poll, Prepare prepare,
                         Next next) {
  const Corpus& corpus = structure.corpus();
  BestOutputs out;
  PollClock clock(model.work());
  std::vector<std::int32_t> codes;
  std::int64_t s = 0;
  structure.hear([&] { poll(s); });
  for (; s < corpus.sentences(); ++s) {
    out.counts.push_back(0);
    if (corpus.length(s) == 0) {
      out.add({}, 0);
      continue;
    }
    structure.open(s);
    prepare(structure);
    codes.resize(static_cast<std::size_t>(corpus.length(s)));
    while (out.counts.back() < n) {
      if (clock.due(corpus.length(s)) && !poll(s)) return out;
      const std::optional<double> score = next(structure, std::span(codes));
      if (!score) break;
      out.add(codes, *score);
    }
  }
  return out;
}

}  // namespace

template <class Real>
std::vector<std::int32_t> decode(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                                 const Poll& poll) {
  Opened<Real> opened(model, corpus);
  std::vector<std::int32_t> codes(static_cast<std::size_t>(corpus.instances.tokens()), -1);
  const auto out = [&](std::int64_t s) { return corpus.part(std::span(codes), s); };
  if (queue.name == "exact") {
    each_sentence(model, corpus, poll, [&](std::int64_t s) {
      opened.structure->open(s);
      opened.structure->best(out(s));
    });
    return codes;
  }
  const std::unique_ptr<CorpusSpace> space = opened.structure->space(queue);
  CorpusSearch search(*space, queue, limits, poll);
  each_sentence(model, corpus, poll, [&](std::int64_t s) {
    search.at = s;
    space->open(s, false);
    const NodeId goal = run_on(s, search.search);
    space->codes(search.search.tree().path(goal), out(s));
  });
  return codes;
}

template <class Real>
BestOutputs nbest(const Model<Real>& model, const Corpus& corpus, std::int64_t n, const Poll& poll) {
  Opened<Real> opened(model, corpus);
  return best_of_each(model, *opened.structure, n, poll, [&](Structure<Real>& structure) { structure.open_list(n); }, next_best);
}

template <class Real>
BestOutputs nbest_of_search(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits, std::int64_t n,
                            const Poll& poll) {
  check_keeps_levels(queue);
  Opened<Real> opened(model, corpus);
  const std::unique_ptr<CorpusSpace> space = opened.structure->space(queue);
  CorpusSearch search(*space, queue, limits, poll);
  BestOutputs out;
  PollClock clock(model.work());
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    if (clock.due(corpus.length(s)) && !poll(s)) break;
    out.counts.push_back(0);
    if (corpus.length(s) == 0) {
      out.add({}, 0);
      continue;
    }
    search.at = s;
    space->open(s, false);
    add_goals(search.search, *space, run_on(s, search.search), n, static_cast<std::size_t>(corpus.length(s)), 0, out);
  }
  return out;
}

template <class Real>
BestOutputs loss_augmented(const Model<Real>& model, const Corpus& corpus, double cost, std::span<const double> class_weights,
                           std::int64_t n, const Poll& poll) {
  Opened<Real> opened(model, corpus);
  opened.structure->weigh_classes(class_weights);
  const auto augment = [&](Structure<Real>& structure) {
    structure.augment(cost);
    if (n > 1) structure.open_list(n);
  };
  if (n == 1) return best_of_each(model, *opened.structure, n, poll, augment, only_best);
  return best_of_each(model, *opened.structure, n, poll, augment, next_best);
}

template <class Real>
std::vector<double> losses_of(const Model<Real>& model, const Corpus& corpus, std::span<const double> class_weights, Codes outputs) {
  model.check({corpus.index, corpus.instances, outputs}, model.flat().size());
  Opened<Real> opened(model, corpus);
  opened.structure->weigh_classes(class_weights);
  std::vector<double> losses(static_cast<std::size_t>(corpus.sentences()), 0.0);
  each_sentence(model, corpus, never_stop(), [&](std::int64_t s) {
    opened.structure->open(s);
    losses[static_cast<std::size_t>(s)] = opened.structure->loss(corpus.part(outputs, s));
  });
  return losses;
}

template <class Real>
std::vector<double> scores_of(const Model<Real>& model, const Corpus& corpus, Codes outputs) {
  model.check({corpus.index, corpus.instances, outputs}, model.flat().size());
  Opened<Real> opened(model, corpus);
  std::vector<double> scores(static_cast<std::size_t>(corpus.sentences()), 0.0);
  each_sentence(model, corpus, never_stop(), [&](std::int64_t s) {
    opened.structure->open(s);
    scores[static_cast<std::size_t>(s)] = opened.structure->score(corpus.part(outputs, s));
  });
  return scores;
}

template <class Real>
FeaturePlaces features_of(Model<Real>& model, const Corpus& corpus, Codes outputs) {
  Vector<Real> weights(std::exchange(model.flat(), {}), 2, Vector<Real>::Keeps::nothing);
  model.grow(corpus, weights);
  model.check({corpus.index, corpus.instances, outputs}, weights.size());
  const std::unique_ptr<Structure<Real>> structure = model.over(corpus, weights, true);
  FeaturePlaces out;
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    Difference features;
    if (corpus.length(s) > 0) {
      structure->open(s);
      structure->features(corpus.part(outputs, s), features);
    }
    append(features, out);
  }
  model.flat() = weights.take_last();
  return out;
}

template <class Real>
std::vector<double> regrets_of(const Model<Real>& model, const Corpus& corpus, Codes outputs) {
  model.check({corpus.index, corpus.instances, outputs}, model.flat().size());
  Opened<Real> opened(model, corpus);
  const std::unique_ptr<CorpusSpace> space = opened.structure->space({});
  std::vector<double> regrets;
  each_sentence(model, corpus, never_stop(), [&](std::int64_t s) {
    space->open(s, true);
    space->regrets(corpus.part(outputs, s), regrets);
  });
  return regrets;
}

template <class Real>
std::vector<double> sums_of(const Model<Real>& model, const Corpus& corpus, double sharpness, FeaturePlaces& expected) {
  Opened<Real> opened(model, corpus);
  std::vector<double> log_z;
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    Difference features;
    double sum = 0;
    if (corpus.length(s) > 0) {
      opened.structure->open(s);
      sum = opened.structure->sums(sharpness);
      opened.structure->take_expected(features);
    }
    log_z.push_back(sum);
    for (auto& [place, value] : features) value = -value;
    sum_up(features);
    append(features, expected);
  }
  return log_z;
}

template <class Real>
LeastRisk least_risk(const Model<Real>& model, const Corpus& corpus, const Risk& risk, const Poll& poll) {
  Opened<Real> opened(model, corpus);
  opened.structure->set_risk(risk);
  LeastRisk out{std::vector<std::int32_t>(static_cast<std::size_t>(corpus.instances.tokens()), -1),
                std::vector<ExpectedRight>(static_cast<std::size_t>(corpus.sentences()))};
  each_sentence(model, corpus, poll, [&](std::int64_t s) {
    opened.structure->open(s);
    out.expected[static_cast<std::size_t>(s)] = opened.structure->least_risk(corpus.part(std::span(out.codes), s));
  });
  return out;
}

template <class Real>
Confidences confidences(const Model<Real>& model, const Corpus& corpus, const QueueSpec& queue, const Limits& limits,
                        const ChunkFlags& chunks, std::span<const double> temperatures, Codes asked, const Poll& poll) {
  check_keeps_levels(queue);
  Opened<Real> opened(model, corpus);
  const std::unique_ptr<CorpusSpace> space = opened.structure->space(queue);
  CorpusSearch search(*space, queue, limits, poll);
  Lattice lattice(*space, queue);
  const auto tokens = static_cast<std::size_t>(corpus.instances.tokens());
  const std::size_t tracks = space->tracks();
  Confidences out{std::vector<std::int32_t>(asked.begin(), asked.end()), std::vector<double>(temperatures.size() * tracks * tokens, 0)};
  out.outputs.resize(tokens, -1);
  each_sentence(model, corpus, poll, [&](std::int64_t s) {
    search.at = s;
    space->open(s, false);
    lattice.clear();
    const NodeId goal = run_on(s, search.search, nullptr, &lattice);
    lattice.build(search.search);
    const std::span<std::int32_t> found = corpus.part(std::span(out.outputs), s);
    if (asked.empty()) space->codes(search.search.tree().path(goal), found);
    for (std::size_t k = 0; k < temperatures.size(); ++k) {
      lattice.weigh(temperatures[k]);
      double* values = out.values.data() + k * tracks * tokens + static_cast<std::size_t>(corpus.instances.starts[s]);
      space->units(lattice, found, chunks, static_cast<std::int64_t>(tokens), values);
    }
  });
  return out;
}

template <class Real>
std::unique_ptr<Model<Real>> normalised_sum(std::span<const Model<Real>* const> parts) {
  if (parts.empty()) throw Error("RiataError", "there are no weights to sum");
  std::vector<double> norms;
  double total = 0;
  for (const Model<Real>* part : parts) {
    double sum = 0;
    for (const Real value : part->flat()) sum += double(value) * value;
    total += norms.emplace_back(std::sqrt(sum));
  }
  const double number = static_cast<double>(parts.size());
  std::unique_ptr<Model<Real>> out = parts[0]->copy();
  out->flat().assign(out->flat().size(), Real{0});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (norms[p] > 0) out->add_scaled(*parts[p], total / number / number / norms[p]);
  }
  return out;
}

#define RIATA_QUESTIONS(Real)                                                                                                          \
  template std::vector<std::int32_t> decode(const Model<Real>&, const Corpus&, const QueueSpec&, const Limits&, const Poll&);          \
  template BestOutputs nbest(const Model<Real>&, const Corpus&, std::int64_t, const Poll&);                                            \
  template BestOutputs nbest_of_search(const Model<Real>&, const Corpus&, const QueueSpec&, const Limits&, std::int64_t, const Poll&); \
  template BestOutputs loss_augmented(const Model<Real>&, const Corpus&, double, std::span<const double>, std::int64_t, const Poll&);  \
  template std::vector<double> losses_of(const Model<Real>&, const Corpus&, std::span<const double>, Codes);                           \
  template std::vector<double> scores_of(const Model<Real>&, const Corpus&, Codes);                                                    \
  template FeaturePlaces features_of(Model<Real>&, const Corpus&, Codes);                                                              \
  template std::vector<double> regrets_of(const Model<Real>&, const Corpus&, Codes);                                                   \
  template std::vector<double> sums_of(const Model<Real>&, const Corpus&, double, FeaturePlaces&);                                     \
  template LeastRisk least_risk(const Model<Real>&, const Corpus&, const Risk&, const Poll&);                                          \
  template Confidences confidences(const Model<Real>&, const Corpus&, const QueueSpec&, const Limits&, const ChunkFlags&,              \
                                   std::span<const double>, Codes, const Poll&);                                                       \
  template std::unique_ptr<Model<Real>> normalised_sum(std::span<const Model<Real>* const>);
RIATA_QUESTIONS(float)
RIATA_QUESTIONS(double)
#undef RIATA_QUESTIONS

}  // namespace riata
