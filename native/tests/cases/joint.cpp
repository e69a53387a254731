// Tags with chunk labels, all outputs listed. There is no dynamic program, but features, scores and a search space.
#include "inference/structures/joint_model.hpp"
#include "tests/enumerated.hpp"

namespace riata::test {
namespace {

// Codes of `length` tokens whose chunk labels may follow each other, start and end.
std::vector<Output> legal_codes(const JointCoding& coding, std::int32_t length) {
  std::vector<Output> found{{}};
  for (std::int32_t t = 0; t < length; ++t) {
    std::vector<Output> longer;
    for (const Output& before : found) {
      for (std::int32_t code = 0; code < coding.tags * coding.chunks; ++code) {
        const ChunkId chunk = coding.chunk(code);
        const bool begins = t > 0 ? coding.follows(coding.chunk(before.back()), chunk) : coding.starts(chunk);
        if (!begins || (t + 1 == length && !coding.ends(chunk))) continue;
        longer.push_back(before);
        longer.back().push_back(code);
      }
    }
    found = std::move(longer);
  }
  return found;
}

// ahead: 1 if a tag is chosen one token before its chunk label, which may then read it.
Case enumerated_joint(Rng& rng, std::int32_t ahead) {
  using riata::Output::chunk, riata::Output::tag;
  const JointCoding coding{{2, 2}, ahead, {1, 0}, {1, 1}, {1, 1, 0, 1}};
  auto out = std::make_unique<Enumerated>("joint", FeatureIndex({{-1, 0, 0}}, {}, 1, false, {}, {}, 0, {{0, 0}, {0, -1}}));
  out->exact = false;
  const JointTemplates templates(out->index, {{tag, 0, 0},
                                              {tag, 0, -1},
                                              {tag, -1, 0, {1}},
                                              {tag, 0, 0, {1, 2}},
                                              {chunk, 0, 0},
                                              {chunk, -1, 0, {0}},
                                              {chunk, -1, 0, {}, {1}},
                                              {chunk, 0, 0, {0}, {1}}});
  out->instances = RandomSentences(rng, 4, [](const auto&) { return 0; }).entered(out->index);
  out->outputs = [coding](std::int32_t length) { return legal_codes(coding, length); };
  for (std::int64_t s = 0; s < out->instances.sentences(); ++s) {
    const std::vector<Output> every = out->outputs(static_cast<std::int32_t>(out->instances.length(s)));
    const Output& one = every[rng.below(every.size())];
    out->gold.insert(out->gold.end(), one.begin(), one.end());
  }
  const JointRows none(templates.slots(), templates.all_groups());
  out->model = std::make_unique<JointModel<double>>(templates, JointWeights<double>{coding, none, {}});
  out->loss = [coding](Codes gold, Codes output) {
    double wrong = 0;
    for (std::size_t t = 0; t < gold.size(); ++t)
      wrong += (coding.tag(gold[t]) != coding.tag(output[t])) + (coding.chunk(gold[t]) != coding.chunk(output[t]));
    return wrong;
  };
  list_outputs(*out, rng);
  return out;
}

std::vector<Case> joints(Rng& rng) {
  std::vector<Case> out;
  out.push_back(enumerated_joint(rng, 0));
  out.push_back(enumerated_joint(rng, 1));
  return out;
}

const RegisteredCases entered(joints);

}  // namespace
}  // namespace riata::test
