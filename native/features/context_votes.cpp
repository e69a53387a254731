#include "features/context_votes.hpp"

#include <algorithm>

#include "core/id_pair_index.hpp"

namespace riata {
namespace {

// Counts of labels by key. Each key has a short list, since a word has few different labels.
class Tally {
 public:
  void add(std::int32_t key, std::int32_t label, std::int32_t times) {
    if (static_cast<std::size_t>(key) >= heads_.size()) heads_.resize(static_cast<std::size_t>(key) + 1, none);
    std::int32_t& head = heads_[key];
    for (std::int32_t at = head; at != none; at = counts_[at].next) {
      if (counts_[at].label == label) {
        counts_[at].times += times;
        return;
      }
    }
    if (head == none) keys_.push_back(key);
    counts_.push_back({label, times, head});
    head = static_cast<std::int32_t>(counts_.size()) - 1;
  }

  // The most frequent label of a key, the smallest of several; -1 if no label has a count above 0. own: a label whose count is taken as one
  // less.
  std::int32_t best(std::int32_t key, std::int32_t own = none) const {
    std::int32_t label = none, most = 0;
    if (static_cast<std::size_t>(key) >= heads_.size()) return none;
    for (std::int32_t at = heads_[key]; at != none; at = counts_[at].next) {
      const std::int32_t times = counts_[at].times - (counts_[at].label == own ? 1 : 0);
      if (times > most || (times == most && times > 0 && counts_[at].label < label)) {
        most = times;
        label = counts_[at].label;
      }
    }
    return label;
  }

  void clear() {
    for (const std::int32_t key : keys_) heads_[key] = none;
    keys_.clear();
    counts_.clear();
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Count {
    std::int32_t label, times, next;
  };
  std::vector<std::int32_t> heads_;  // [keys] the first count of each key, or none
  std::vector<std::int32_t> keys_;   // keys that have counts
  std::vector<Count> counts_;
};

struct Chunk {
  std::int64_t begin, end;
  std::int32_t type;
};

class Collector {
 public:
  explicit Collector(const FirstLabels& first) : first_(first) {}

  void clear() {
    for (Tally* tally : {&words_, &lower_words_, &whole_, &part_}) tally->clear();
    strings_ = IdPairIndex();
  }

  // Adds the votes of a sentence `times` times; -1 takes back what was added once.
  void count(std::int64_t sentence, std::int32_t times) {
    for (std::int64_t t = first_.starts[sentence]; t < first_.starts[sentence + 1]; ++t) {
      words_.add(first_.words[t], first_.labels[t], times);
      lower_words_.add(first_.lower_words[t], first_.labels[t], times);
    }
    find_chunks(sentence);
    for (const Chunk& chunk : chunks_) {
      if (chunk.end - chunk.begin <= longest_voting_chunk) count_strings(chunk, times);
    }
  }

  void ask(std::int64_t sentence, ContextVotes& out) {
    const std::int64_t begin = first_.starts[sentence], end = first_.starts[sentence + 1];
    for (std::int64_t t = begin; t < end; ++t) {
      out.word.push_back(words_.best(first_.words[t], first_.labels[t]));
      out.lower_word.push_back(lower_words_.best(first_.lower_words[t], first_.labels[t]));
    }
    if (first_.types.empty()) return;
    const std::size_t at = out.chunk.size();
    out.chunk.resize(at + static_cast<std::size_t>(end - begin), -1);
    out.longer.resize(at + static_cast<std::size_t>(end - begin), -1);
    find_chunks(sentence);
    find_same(begin, end, out.chunk.data() + at);
    for (const Chunk& chunk : chunks_) {
      const std::int32_t node = string_of(chunk.begin, chunk.end);
      const std::int32_t type = node < 0 ? -1 : part_.best(node);
      if (type >= 0) mark(out.longer.data() + at + (chunk.begin - begin), chunk.end - chunk.begin, type);
    }
  }

 private:
  static void mark(std::int32_t* tokens, std::int64_t length, std::int32_t type) {
    for (std::int64_t i = 0; i < length; ++i) tokens[i] = 2 * type + (i > 0 ? 1 : 0);
  }

  void find_chunks(std::int64_t sentence) {
    chunks_.clear();
    if (first_.types.empty()) return;
    const std::size_t labels = first_.types.size();
    for (std::int64_t t = first_.starts[sentence], begin = t; t < first_.starts[sentence + 1]; ++t) {
      const std::int32_t label = first_.labels[t], type = first_.types[label];
      if (type < 0) continue;
      if (t > begin && !chunks_.empty() && chunks_.back().end == t && first_.goes_on[first_.labels[t - 1] * labels + label] != 0) {
        chunks_.back().end = t + 1;
      } else {
        chunks_.push_back({t, t + 1, type});
      }
    }
  }

  // Enters the words of a chunk, and all strings of words within it. A string is a path in strings_: (shorter string, next word).
  void count_strings(const Chunk& chunk, std::int32_t times) {
    for (std::int64_t from = chunk.begin; from < chunk.end; ++from) {
      std::int32_t node = root;
      for (std::int64_t t = from; t < chunk.end; ++t) {
        node = strings_.add(node, first_.words[t]);
        const bool is_whole = from == chunk.begin && t + 1 == chunk.end;
        (is_whole ? whole_ : part_).add(node, chunk.type, times);
      }
    }
  }

  std::int32_t string_of(std::int64_t begin, std::int64_t end) const {
    std::int32_t node = root;
    for (std::int64_t t = begin; t < end; ++t) {
      node = strings_.find(node, first_.words[t]);
      if (node < 0) return -1;
    }
    return node;
  }

  // Marks the longest strings of words that are whole chunks elsewhere, from left to right.
  void find_same(std::int64_t begin, std::int64_t end, std::int32_t* out) const {
    auto own = chunks_.begin();
    for (std::int64_t from = begin; from < end;) {
      while (own != chunks_.end() && own->begin < from) ++own;
      const Chunk* here = own != chunks_.end() && own->begin == from ? &*own : nullptr;
      std::int64_t stop = from;
      std::int32_t type = -1, node = root;
      for (std::int64_t t = from; t < end; ++t) {
        node = strings_.find(node, first_.words[t]);
        if (node < 0) break;
        const std::int32_t found = whole_.best(node, here != nullptr && here->end == t + 1 ? here->type : -1);
        if (found >= 0) {
          stop = t + 1;
          type = found;
        }
      }
      if (type >= 0) mark(out + (from - begin), stop - from, type);
      from = std::max(stop, from + 1);
    }
  }

  static constexpr std::int32_t root = -1;
  const FirstLabels& first_;
  Tally words_, lower_words_;
  IdPairIndex strings_;  // strings of words: chunks, and all parts of chunks
  // Types of chunks by string: whole_ of chunks that consist of the string, part_ of chunks that contain it and more.
  Tally whole_, part_;
  std::vector<Chunk> chunks_;  // chunks of the present sentence
};

}  // namespace

ContextVotes context_votes(const FirstLabels& first, const ContextScope& scope, const Poll& poll) {
  ContextVotes out;
  Collector collector(first);
  PollClock clock(1);
  const auto sentences = static_cast<std::int64_t>(first.starts.size()) - 1;
  const auto stopped = [&](std::int64_t s) { return clock.due(first.starts[s + 1] - first.starts[s]) && !poll(s); };
  if (scope.groups.empty()) {
    for (std::int64_t s = 0; s < sentences && !stopped(s); ++s) {
      if (s > scope.window) collector.count(s - scope.window - 1, -1);
      collector.count(s, 1);
      if (s >= scope.from) collector.ask(s, out);
    }
    return out;
  }
  for (std::int64_t s = 0; s < sentences;) {
    std::int64_t end = s;
    collector.clear();
    for (; end < sentences && scope.groups[end] == scope.groups[s]; ++end) {
      if (stopped(end)) return out;
      collector.count(end, 1);
    }
    for (; s < end; ++s) {
      if (s >= scope.from) collector.ask(s, out);
    }
  }
  return out;
}

}  // namespace riata
