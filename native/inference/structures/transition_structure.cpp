#include "inference/structures/transition_structure.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "inference/offered.hpp"
#include "inference/structures/dependency_tree.hpp"

namespace riata {
namespace {

constexpr std::int64_t most_reserved = std::int64_t{1} << 27;  // weights

// Refuses tokens without the tags that they may have, where tags are chosen, and sentences whose outputs are no codes.
void check_tags(const TransitionCoding& coding, const TransitionTemplates& templates, const Corpus& corpus) {
  const TagChoices& choices = corpus.instances.choices;
  bool reads = false;
  for (const ParserPart& part : templates.parts()) reads = reads || part.kind == ParserPart::tag;
  const bool chosen = choices.ranked && choices.count == coding.tags && choices.fits(corpus.instances.tokens());
  if (coding.tags > 0 && corpus.instances.tokens() > 0 ? !chosen : reads && coding.tags == 0)
    throw Error("RiataError", "the tags that tokens may have do not fit the weights");
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    const std::int64_t codes = (corpus.length(s) + 1) * coding.relations * (std::int64_t{coding.tags} + 1);
    if (codes > std::numeric_limits<std::int32_t>::max())
      throw Error("DataError", "a sentence is too long for so many tags and relations", "Split the sentence.");
  }
}

}  // namespace

template <class Real>
void TransitionModel<Real>::check(const Corpus& corpus, std::size_t size) const {
  const Instances& instances = corpus.instances;
  bool ok = static_cast<std::int64_t>(size) >= weights.rows->size() &&
            static_cast<std::int32_t>(instances.ngrams.size()) == corpus.index.families();
  for (std::int32_t f = 0; ok && f < corpus.index.families(); ++f) ok = instances.sizes[f] <= corpus.index.size(f);
  if (!ok) throw Error("RiataError", "the weights do not fit the feature index, or the instances were made with another one");
  for (std::int32_t f = 0; f < corpus.index.families(); ++f) {
    if (corpus.index.size(f) >= RowKey::most_last)
      throw Error("DataError", "more than 2^24 different n-grams at one place", "Use a smaller template or a higher cutoff.");
  }
  check_tags(weights.coding, templates, corpus);
  ok = corpus.gold.empty() || static_cast<std::int64_t>(corpus.gold.size()) == instances.tokens();
  std::vector<std::int32_t> heads;
  for (std::int64_t s = 0; ok && !corpus.gold.empty() && s < corpus.sentences(); ++s) {
    heads.clear();
    for (const std::int32_t code : corpus.gold_of(s)) {
      ok = ok && code >= 0;
      heads.push_back(weights.coding.head(code));
    }
    ok = ok && (heads.empty() || is_dependency_tree(heads));
  }
  if (!ok) throw Error("RiataError", "the heads and relations do not fit the sentences or the weights");
}

template <class Real>
void TransitionModel<Real>::grow(const Corpus& corpus, Vector<Real>& vector) {
  if (weights.rows->blocks() == 0) {  // room for all features of the paths to two trees, without copies while weights are added
    const std::int64_t steps = 4 * corpus.instances.tokens(), most = steps * static_cast<std::int64_t>(templates.templates().size());
    vector.reserve(static_cast<std::size_t>(std::min(most * BlockRows::width, most_reserved)));
  }
  vector.grow(static_cast<std::size_t>(weights.rows->size()));
  TransitionCoding& coding = weights.coding;
  if (coding.tag_family < 0 || corpus.gold.size() != static_cast<std::size_t>(corpus.instances.tokens())) return;
  const std::vector<std::int32_t>& tags = corpus.instances.ngrams[static_cast<std::size_t>(coding.tag_family)];
  for (std::int64_t s = 0; s < corpus.sentences(); ++s) {
    const Codes gold = corpus.gold_of(s);
    for (std::size_t t = 0; t < gold.size(); ++t) {
      const std::int32_t head = coding.head(gold[t]);
      if (gold[t] < 0 || head < 0 || head >= static_cast<std::int32_t>(gold.size())) continue;
      const auto origin = static_cast<std::size_t>(corpus.instances.origin(s));
      const std::int32_t of_head = tags[origin + static_cast<std::size_t>(head)], of_child = tags[origin + t];
      if (of_head >= 0 && of_child >= 0) coding.pairs.add(of_head, of_child, coding.relation(gold[t]));
    }
  }
}

template <class Real>
void TransitionModel<Real>::parts(Codes output, std::vector<Part>& out) const {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  const TransitionCoding& coding = weights.coding;
  for (std::size_t t = 0; t < output.size(); ++t) {
    const std::int32_t relation = coding.relation(output[t]), head = coding.head(output[t]);
    out.push_back({static_cast<std::int32_t>(t), relation});
    if (head >= 0) out.push_back({head, coding.relations + relation});
  }
  std::stable_sort(out.begin() + first, out.end(), [](const Part& a, const Part& b) { return a.position < b.position; });
}

template <class Real>
std::unique_ptr<Structure<Real>> TransitionModel<Real>::over(const Corpus& corpus, Vector<Real>& vector, bool grows) {
  return std::make_unique<TransitionStructure<Real>>(*this, corpus, vector, grows);
}

// Weights may be in another order in the other model, and so may sets of relations; both are matched by what they stand for.
template <class Real>
void TransitionModel<Real>::match(Model<Real>& other, const typename Model<Real>::Matched& visit) const {
  auto& same = dynamic_cast<TransitionModel&>(other);
  const BlockRows& from = *weights.rows;
  BlockRows& to = same.weights.rows.own();
  if (weights.coding.relations != same.weights.coding.relations || weights.coding.system != same.weights.coding.system ||
      weights.coding.tags != same.weights.coding.tags || templates.templates() != same.templates.templates())
    throw Error("RiataError", "the weights belong to different models");
  RowKey to_key;
  const auto row = [&](const RowKey& key) {
    auto values = key.values();
    const std::vector<std::int32_t>& read = templates.templates()[static_cast<std::size_t>(key.number())];
    for (std::size_t i = 0; i < read.size(); ++i) {
      const std::int32_t kind = templates.parts()[static_cast<std::size_t>(read[i])].kind;
      if (kind == ParserPart::left_set || kind == ParserPart::right_set) values[i] = to.add_set(from.set(values[i]));
    }
    to_key = RowKey::of(key.number(), values.data());
  };
  from.each_row(row, [&](std::int32_t of, std::int64_t place) { visit(place, to.add(to_key, of), 1); });
}

template class TransitionModel<float>;
template class TransitionModel<double>;

namespace {
const RegisteredStructure entered("transitions", operations_of<TransitionStructure<float>>());
}

}  // namespace riata
