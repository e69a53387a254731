// The space of a tag and a chunk label for every token, from left to right (Daumé & Marcu 2005, Sec. 4.2). An operator gives both for the
// next token; or, if the coding is one token ahead, the tag of a token and the chunk label of the token before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "inference/corpus.hpp"
#include "inference/search/corpus_space.hpp"
#include "inference/search/queue.hpp"
#include "inference/search/units.hpp"
#include "inference/spaces/best_ranks.hpp"
#include "inference/spaces/expanded.hpp"
#include "inference/structures/chunk_completions.hpp"
#include "inference/structures/joint_model.hpp"
#include "inference/structures/joint_steps.hpp"
#include "inference/structures/listed_tags.hpp"

namespace riata {

// A state is the number of operators so far; the outputs are stored in the tree. States with the same number that agree in the last
// outputs, as far back as templates read them, have the same continuations and are merged, unless the queue asks for no merging. The loss
// is Hamming, of tags and of chunk labels; the regret is the number of wrong ones so far, plus those that will have to be wrong for a legal
// sequence. An operator is a code; if it does not give a tag or a chunk label, that part of the code has no meaning.
template <class Real>
class JointSpace : public CorpusSpace {
 public:
  // grows: whether features that an update touches for the first time are added to the model and to the weights.
  JointSpace(const Corpus& corpus, JointModel<Real>& model, const JointLayout& layout, Vector<Real>& weights, bool grows,
             const QueueSpec& queue)
      : corpus_(corpus),
        templates_(model.templates),
        layout_(layout),
        coding_(model.weights.coding),
        weights_(weights),
        rows_(model.weights.rows),
        grows_(grows),
        merges_(queue.merge),
        remembers_(queue.remembers()),
        steps_(templates_, layout_, coding_, rows_, corpus.instances, weights, queue.by_level()),
        completions_(coding_),
        listed_(coding_, corpus.instances),
        window_(static_cast<std::size_t>(templates_.window())),
        tags_(static_cast<std::size_t>(layout_.stride(Output::tag))),
        chunks_(static_cast<std::size_t>(layout_.stride(Output::chunk))),
        both_(chunks_.size()),
        expanded_(queue.blind()) {
    for (std::int32_t back = 1; back < templates_.tags_back(); ++back) tags_unit_ *= coding_.tags + 1;
    for (std::int32_t back = 1; back < templates_.chunks_back(); ++back) chunks_unit_ *= coding_.chunks + 1;
    if (templates_.tags_back() == 0) tags_unit_ = 0;
    tags_size_ = std::max<std::int64_t>(tags_unit_ * (coding_.tags + 1), 1);
    chunks_size_ = chunks_unit_ * (coding_.chunks + 1);
  }

  // with_truth: the true tags are allowed, even if the tag dictionary does not contain them.
  void open(std::int64_t sentence, bool with_truth) override {
    steps_.open(sentence);
    gold_ = with_truth ? corpus_.gold_of(sentence) : Codes{};
    if (!gold_.empty()) completions_.open(gold_);
    expanded_.clear();
    listed_.open(sentence, gold_);
    check_size();
  }

  void add_losses() override { adds_losses_ = true; }

  StateId initial() override { return StateId(0); }
  bool is_goal(StateId state) override { return state.number() == operators(); }
  StateId apply(StateId state, ActionId) override { return after(state); }

  double initial_regret() override { return forced(StateId(0), ChunkId()); }
  double regret(const Tree& tree, NodeId node) override {
    std::int32_t sum = forced(tree[node].state, last_chunk(tree, node));
    for (; tree[node].parent; node = tree[node].parent) sum += wrong(before(tree[node].state), tree[node].action);
    return sum;
  }

  bool merges() const override { return merges_; }
  std::int64_t key(const Tree& tree, NodeId node) override {
    look_back(tree, node);
    return key_of(tree[node].state, tags_key(templates_.tags_back()), chunks_key(templates_.chunks_back()));
  }

  void expand(const Tree& tree, std::span<const NodeId> frontier, const Ranking& ranking, bool learning,
              std::vector<Candidate>& out) override {
    ranks_.begin();
    for (const NodeId id : frontier) ask(tree, id);
    const auto key_of_state = [&](NodeId id) { return key(tree, id); };
    const auto expand_one = [&](NodeId id) { expand_node(tree, id, ranking, learning, out); };
    expanded_.each(tree, frontier, remembers_ && !aside_, key_of_state, expand_one, out);
  }

  double step_score(const Tree& tree, NodeId node) override {
    const StateId from = before(tree[node].state);
    const TagId tag = coding_.tag(tree[node].action);
    look_back(tree, tree[node].parent);
    score_history(from);
    const Real* chunks = score_chunks(from, tag);
    const double loss = adds_losses_ && !gold_.empty() ? wrong(from, tree[node].action) : 0;
    return loss + step(from, chunks, tag, coding_.chunk(tree[node].action));
  }

  void features(const Tree& tree, NodeId node, StepFeatures& out) override {
    look_back(tree, tree[node].parent);
    features_of(before(tree[node].state), tree[node].action, out);
  }

  // Appends the features of all steps on the path to an output. codes: [T].
  void features_of(std::span<const std::int32_t> codes, StepFeatures& out) {
    for (StateId from(0); from.number() < operators(); ++from) {
      for (std::int32_t back = 1; back <= templates_.tags_back(); ++back) {
        const std::int32_t t = from.number() - back;
        window_[templates_.tag_place(back)] = t < 0 ? 0 : coding_.tag(codes[t]).value();
      }
      for (std::int32_t back = 1; back <= templates_.chunks_back(); ++back) {
        const std::int32_t t = chunk_token(from) - back;
        window_[templates_.chunk_place(back)] = t < 0 ? 0 : coding_.chunk(codes[t]).value();
      }
      features_of(from, operator_to(codes, from), out);
    }
  }

  // Converts the operators of a path into the codes of the tokens.
  void codes(std::span<const ActionId> path, std::span<std::int32_t> out) const override {
    for (std::int32_t t = 0; t < steps_.length(); ++t)
      out[static_cast<std::size_t>(t)] = coding_.code(coding_.tag(path[t]), coding_.chunk(path[t + coding_.ahead]));
  }

  void parts(StateId from, ActionId action, std::vector<Part>& out) const override {
    if (gives_tag(from)) out.push_back({from.number(), coding_.tag(action).number()});
    if (chunk_token(from) >= 0) out.push_back({chunk_token(from), coding_.tags + coding_.chunk(action).number()});
  }
  std::int32_t decided(StateId state) const override { return std::max(chunk_token(state), 0); }
  Order order() const override { return coding_.ahead == 0 ? Order::by_position : Order::by_track; }

  // Appends the regrets of all states on the path to an output, starting with the initial state: [operators + 1]. codes: [T].
  void regrets(std::span<const std::int32_t> codes, std::vector<double>& out) override {
    std::int32_t sum = 0;
    for (StateId state(0); state.number() <= operators(); ++state) {
      if (const StateId from = before(state)) {
        sum += wrong(from, operator_to(codes, from));
      }
      const std::int32_t next = chunk_token(state);
      out.push_back(sum + forced(state, next <= 0 ? ChunkId() : coding_.chunk(codes[next - 1])));
    }
  }

  std::size_t tracks() const override { return 2; }
  void units(const Lattice& lattice, std::span<const std::int32_t> output, const ChunkFlags& chunks, std::int64_t apart,
             double* out) override {
    std::vector<std::int32_t> each(static_cast<std::size_t>(coding_.tags)), of_tags, of_chunks;
    std::iota(each.begin(), each.end(), 0);
    const std::vector<std::uint8_t> never(each.size() * each.size(), 0);
    for (const std::int32_t code : output) {
      of_tags.push_back(coding_.tag(code).number());
      of_chunks.push_back(coding_.chunk(code).number());
    }
    Units tags(Track{0, each, never, [&](ActionId code) { return coding_.tag(code).number(); }});
    Units spans(Track{coding_.ahead, chunks.types, chunks.continues, [&](ActionId code) { return coding_.chunk(code).number(); }});
    tags(lattice, of_tags, out);
    spans(lattice, of_chunks, out + apart);
  }

  std::int64_t step_identity(const Tree& tree, NodeId node) override {
    return key(tree, tree[node].parent) * combinations() + tree[node].action;
  }

  void looking_aside(bool is) override { aside_ = is; }
  void weights_changed() override { expanded_.clear(); }  // cached rows store the version of the weights with which they were computed

 private:
  static constexpr std::int64_t few = 64;  // largest width of a queue for which selecting the best early saves time

  std::int32_t operators() const noexcept { return steps_.length() + coding_.ahead; }
  static StateId before(StateId state) noexcept { return StateId(state.number() - 1); }
  static StateId after(StateId state) noexcept { return StateId(state.number() + 1); }
  bool gives_tag(StateId from) const noexcept { return from.number() < steps_.length(); }
  // The token whose chunk label the step from a state gives; -1: none.
  std::int32_t chunk_token(StateId from) const noexcept { return from.number() - coding_.ahead; }

  // The operator that leads on from a state on the path to an output. codes: [T].
  ActionId operator_to(std::span<const std::int32_t> codes, StateId from) const noexcept {
    const std::int32_t u = chunk_token(from);
    return coding_.code(gives_tag(from) ? coding_.tag(codes[from.place()]) : no_tag, u < 0 ? no_chunk : coding_.chunk(codes[u]));
  }

  std::int64_t combinations() const noexcept { return std::int64_t{coding_.tags} * coding_.chunks; }

  // How many chunk labels must be wrong from a state on, since the sequence must be legal. last: the chunk label before, or none.
  std::int32_t forced(StateId state, ChunkId last) const noexcept { return completions_.least(std::max(chunk_token(state), 0), last); }

  std::int32_t wrong(StateId from, ActionId action) const noexcept {
    return (coding_.tag(action) != true_tag(from, coding_.tag(action))) +
           (coding_.chunk(action) != true_chunk(from, coding_.chunk(action)));
  }
  // The true tag or chunk label of the step from a state; `otherwise` if the step does not give one.
  TagId true_tag(StateId from, TagId otherwise) const noexcept { return gives_tag(from) ? coding_.tag(gold_[from.place()]) : otherwise; }
  ChunkId true_chunk(StateId from, ChunkId otherwise) const noexcept {
    return chunk_token(from) >= 0 ? coding_.chunk(gold_[chunk_token(from)]) : otherwise;
  }

  // The last chunk label of a node; none if there is none yet.
  ChunkId last_chunk(const Tree& tree, NodeId node) const noexcept {
    return !tree[node].parent || chunk_token(tree[node].state) <= 0 ? ChunkId() : coding_.chunk(tree[node].action);
  }

  // Keys of states and of steps are 64-bit numbers. Throws if there are too many different ones.
  void check_size() const {
    double states = double(operators() + 1) * double(combinations());
    for (std::int32_t back = 0; back < templates_.tags_back(); ++back) states *= coding_.tags + 1;
    for (std::int32_t back = 0; back < templates_.chunks_back(); ++back) states *= coding_.chunks + 1;
    if (states > double(std::numeric_limits<std::int64_t>::max() / 2))
      throw Error("UnsupportedError", "there are too many labels for templates that read so far back.",
                  "Use templates that read fewer outputs back.");
  }

  // Requests all rows that the expansion of a node will read.
  void ask(const Tree& tree, NodeId id) {
    const StateId from = tree[id].state;
    const std::int32_t u = chunk_token(from);
    if (tree[id].goal) return;
    steps_.at_step(from);
    look_back(tree, id);
    if (gives_tag(from)) steps_.ask(Output::tag, from.number(), window_);
    if (u < 0) return;
    steps_.ask(Output::chunk, u, window_);
    steps_.begin_tags(u, window_);
    for (const TagId tag : listed(from)) steps_.ask_beside(gives_tag(from) ? tag : TagId());
  }

  // The tags that the step from a state may give; if it gives none, one meaningless tag.
  std::span<const TagId> listed(StateId from) const noexcept {
    if (!gives_tag(from)) return {&no_tag, 1};
    return listed_[from.place()];
  }

  // Computes the scores of the step from a state, after the outputs that look_back has read: of all tags, and of all chunk labels as far as
  // these do not depend on the tag.
  void score_history(StateId from) {
    steps_.at_step(from);
    if (gives_tag(from)) {
      steps_.set_input(Output::tag, from.number(), tags_.data());
      steps_.add_outputs(Output::tag, from.number(), window_, tags_.data());
    }
    const std::int32_t u = chunk_token(from);
    if (u < 0) return;
    steps_.set_input(Output::chunk, u, chunks_.data());
    steps_.add_outputs(Output::chunk, u, window_, chunks_.data());
    steps_.begin_tags(u, window_);
  }

  // The scores of all chunk labels beside a tag. To be called after score_history.
  const Real* score_chunks(StateId from, TagId tag) {
    if (chunk_token(from) < 0) return nullptr;
    std::copy(chunks_.begin(), chunks_.end(), both_.begin());
    steps_.add_beside(gives_tag(from) ? tag : TagId(), both_.data());
    return both_.data();
  }

  double step(StateId from, const Real* chunks, TagId tag, ChunkId chunk) const noexcept {
    const double own = gives_tag(from) ? double(tags_[tag.place()]) : 0.0;
    return chunks == nullptr ? own : own + double(chunks[chunk.place()]);
  }

  // The highest score of a step that gives a tag, with any chunk label.
  double best_step(StateId from, const Real* chunks, TagId tag) const noexcept {
    const auto best = chunks == nullptr ? std::ptrdiff_t{0} : std::max_element(chunks, chunks + coding_.chunks) - chunks;
    return step(from, chunks, tag, ChunkId(static_cast<std::int32_t>(best)));
  }

  void expand_node(const Tree& tree, NodeId id, const Ranking& ranking, bool learning, std::vector<Candidate>& out) {
    const Node& node = tree[id];
    const StateId from = node.state;
    const std::int32_t u = chunk_token(from);
    const ChunkId before = last_chunk(tree, id);
    look_back(tree, id);
    score_history(from);
    list_chunks(u, before);
    // Early selection expects that no two candidates of a node are merged, which is the case if templates read tags back.
    const bool choosy = ranking.width <= few && !aside_ && (templates_.tags_back() > 0 || !merges_);
    const bool gives = gives_tag(from);
    const double regret = learning ? node.regret - forced(from, before) : 0, least = learning ? forced(StateId(0), ChunkId()) : 0;
    const TagId gold_tag = learning ? true_tag(from, no_tag) : no_tag;
    const ChunkId gold_chunk = learning ? true_chunk(from, no_chunk) : no_chunk;
    const std::int64_t tags_before = tags_key(templates_.tags_back() - 1), chunks_before = chunks_key(templates_.chunks_back() - 1);
    const std::size_t first = out.size();
    const double bonus = learning && adds_losses_ ? 1 : 0;  // of a wrong tag, and of a wrong chunk label
    ranks_.begin_node();
    for (const TagId tag : listed(from)) {
      const Real* scores = score_chunks(from, tag);
      if (choosy && node.score + best_step(from, scores, tag) + 2 * bonus < ranks_.least()) continue;
      const std::int64_t key = key_of(after(from), (gives ? tag.value() : 0) * tags_unit_ + tags_before, chunks_before);
      const double with_tag = regret + (tag != gold_tag);
      const std::int32_t code = coding_.code(tag, ChunkId(0));
      for (const ChunkId chunk : allowed_) {
        const double score = node.score + step(from, scores, tag, chunk) + bonus * ((tag != gold_tag) + (chunk != gold_chunk));
        if (choosy && score < ranks_.least()) continue;
        Candidate candidate{score, 0, u < 0 ? key : key + chunk.value() * chunks_unit_, 0, id, code + chunk.number(), false};
        if (learning) {
          candidate.regret = with_tag + (chunk != gold_chunk) + forced(after(from), u < 0 ? ChunkId() : chunk);
          candidate.good = node.good && candidate.regret == least;
        }
        if (!choosy || ranks_.takes(ranking, candidate)) out.push_back(candidate);
      }
    }
    if (choosy) ranks_.drop_hopeless(ranking, first, out);
  }

  // Lists the chunk labels that token u may have after the chunk label `before`. If the step gives no chunk label, the list is a single 0.
  void list_chunks(std::int32_t u, ChunkId before) {
    allowed_.clear();
    if (u < 0) allowed_.push_back(no_chunk);
    for (ChunkId chunk(0); u >= 0 && chunk.number() < coding_.chunks; ++chunk) {
      if (completions_.allows(before, chunk, steps_.length() - u - 1)) allowed_.push_back(chunk);
    }
  }

  // One number for the last `most` tags or chunk labels that look_back has read. A child's key puts its own output before them.
  std::int64_t tags_key(std::int32_t most) const noexcept {
    std::int64_t key = 0;
    for (std::int32_t back = 1; back <= most; ++back) key = key * (coding_.tags + 1) + window_[templates_.tag_place(back)];
    return key;
  }
  std::int64_t chunks_key(std::int32_t most) const noexcept {
    std::int64_t key = 0;
    for (std::int32_t back = 1; back <= most; ++back) key = key * (coding_.chunks + 1) + window_[templates_.chunk_place(back)];
    return key;
  }
  std::int64_t key_of(StateId state, std::int64_t tags, std::int64_t chunks) const noexcept {
    return (state.number() * tags_size_ + tags) * chunks_size_ + chunks;
  }

  // Writes the outputs before the step out of a node to window_, each plus one; 0: before the sentence. The tag of the step itself is not
  // set.
  void look_back(const Tree& tree, NodeId id) {
    window_[0] = 0;
    const std::int32_t most = std::max(templates_.tags_back(), templates_.chunks_back());
    for (std::int32_t back = 1; back <= most; ++back) {
      const bool inside{tree[id].parent};
      const StateId from = before(tree[id].state);
      if (back <= templates_.tags_back())
        window_[templates_.tag_place(back)] = inside && gives_tag(from) ? coding_.tag(tree[id].action).value() : 0;
      if (back <= templates_.chunks_back())
        window_[templates_.chunk_place(back)] = inside && chunk_token(from) >= 0 ? coding_.chunk(tree[id].action).value() : 0;
      if (inside) id = tree[id].parent;
    }
  }

  // Appends the features of the step from a state, after the outputs that look_back has read.
  void features_of(StateId from, ActionId action, StepFeatures& out) {
    window_[0] = gives_tag(from) ? coding_.tag(action).value() : 0;
    const auto context = [&](const JointGroup& group) {
      const std::uint64_t packed = group.packed(window_, coding_);
      return grows_ ? rows_.add_context(group.number, packed) : rows_.find_context(group.number, packed);
    };
    const auto row = [&](SlotId slot, NgramId ngram, ContextId at) {
      if (!grows_) return rows_.find(slot, ngram, at);
      return rows_.add(slot, ngram, at, layout_.stride(templates_[slot].output));
    };
    const auto collect = [&](Output output, std::int32_t t, auto label) {  // a TagId or a ChunkId
      steps_.each_row(output, t, context, row, [&](std::int64_t place) { out.push_back({place + label.number(), 1.0}); });
    };
    if (gives_tag(from)) collect(Output::tag, from.number(), coding_.tag(action));
    const std::int32_t u = chunk_token(from);
    if (u >= 0) collect(Output::chunk, u, coding_.chunk(action));
    if (grows_) weights_.grow(static_cast<std::size_t>(layout_.whole(rows_)));
  }

  static constexpr TagId no_tag{0};      // the tag in the code of operators that give no tag
  static constexpr ChunkId no_chunk{0};  // the chunk label of operators that give none

  Corpus corpus_;
  const JointTemplates& templates_;
  const JointLayout& layout_;
  const JointCoding& coding_;
  Vector<Real>& weights_;
  JointRows& rows_;
  bool grows_;
  bool merges_, remembers_;
  bool aside_ = false;
  bool adds_losses_ = false;
  JointSteps<Real> steps_;
  ChunkCompletions completions_;
  std::span<const std::int32_t> gold_;
  ListedTags listed_;
  std::vector<ChunkId> allowed_;            // chunk labels that the present node may give
  std::vector<std::int32_t> window_;        // as look_back writes it; the first place is the tag of the present operator
  std::vector<Real> tags_, chunks_, both_;  // [stride] scores of the present node; both_: of chunk labels beside the present tag
  // Keys: the factors by which the last tag and chunk label are multiplied, and the numbers of different keys of tags and of chunk labels.
  std::int64_t tags_unit_ = 1, chunks_unit_ = 1, tags_size_ = 1, chunks_size_ = 1;
  BestRanks ranks_;
  Expanded expanded_;
};

}  // namespace riata
