// The contexts of the steps of one sentence, without repetition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riata {

class StepsOfSentence {
 public:
  // contexts: the number of contexts of all sentences.
  explicit StepsOfSentence(std::size_t contexts) : here_(contexts, -1) {}

  // contexts: [length] the context of the step into each token; ignored for the first token. Contexts are numbered in order of appearance.
  void open(std::span<const std::int32_t> contexts) {
    for (const std::int32_t context : used_) here_[static_cast<std::size_t>(context)] = -1;
    used_.clear();
    contexts_ = contexts;
    for (std::size_t t = 1; t < contexts.size(); ++t) {
      std::int32_t& number = here_[static_cast<std::size_t>(contexts[t])];
      if (number >= 0) continue;
      number = static_cast<std::int32_t>(used_.size());
      used_.push_back(contexts[t]);
    }
  }

  std::span<const std::int32_t> used() const noexcept { return used_; }  // [numbers] the context with each number
  // The number of the context of the step into token t > 0.
  std::int64_t number(std::int64_t t) const noexcept { return here_[static_cast<std::size_t>(contexts_[static_cast<std::size_t>(t)])]; }

 private:
  std::vector<std::int32_t> here_;  // [contexts] number in the sentence; -1: not in the sentence
  std::vector<std::int32_t> used_;
  std::span<const std::int32_t> contexts_;
};

}  // namespace riata
