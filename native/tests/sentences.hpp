// Random sentences of one attribute, with labels.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rng.hpp"
#include "features/instances.hpp"

namespace riata {

struct RandomSentences {
  std::vector<std::int32_t> values, gold;
  std::vector<std::int64_t> starts{0};

  // Adds 40 sentences of up to 5 tokens, some of them empty; label() is the label of the token that was drawn last.
  template <class Label>
  RandomSentences(Rng& rng, std::uint64_t words, Label label) {
    for (int s = 0; s < 40; ++s) {
      for (std::uint64_t t = rng.below(6); t > 0; --t) {
        values.push_back(static_cast<std::int32_t>(rng.below(words)));
        gold.push_back(label(values));
      }
      starts.push_back(static_cast<std::int64_t>(values.size()));
    }
  }

  Tokens tokens() const { return {{values}, starts}; }

  // The instances, with every n-gram added to the index.
  Instances entered(FeatureIndex& index) const {
    index.extend(tokens(), 1);
    Instances instances = look_up(index, tokens());
    instances.labels = gold;
    return instances;
  }
};

}  // namespace riata
