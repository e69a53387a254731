// Search under random rules compared with all outputs of every structure that has a search space.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "inference/offered.hpp"
#include "inference/rules/check.hpp"
#include "inference/rules/constrained_structure.hpp"
#include "inference/rules/ruled_search.hpp"
#include "learning/online/trainer.hpp"
#include "tests/check.hpp"
#include "tests/enumerated.hpp"

using namespace riata;
using namespace riata::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const Poll go_on = [](std::int64_t) { return true; };

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

// Rules as a list of functions, which look at whole outputs.
struct Plain {
  using Judge = std::function<bool(const std::vector<Part>&)>;
  struct One {
    Judge keeps;
    double penalty;
  };
  std::vector<One> shared, automata;
  std::vector<std::vector<One>> own;  // [sentences]

  std::vector<const One*> of(std::int64_t s) const {
    std::vector<const One*> all;
    for (const One& one : shared) all.push_back(&one);
    for (const One& one : own[static_cast<std::size_t>(s)]) all.push_back(&one);
    for (const One& one : automata) all.push_back(&one);
    return all;
  }
};

struct Drawn {
  Rules rules;
  Plain plain;
};

class Draw {
 public:
  Draw(Rng& rng, const Enumerated& in, bool hard = false)
      : rng_(rng), in_(in), hard_(hard), tracks_(in.model->part_tracks()), out_{Rules(tracks_, in.built), {}} {}

  Drawn operator()() {
    for (std::uint64_t n = rng_.below(4); n > 0; --n) {
      auto [rule, one] = counting(0);
      out_.rules.share(rule);
      out_.plain.shared.push_back(one);
    }
    for (std::uint64_t n = in_.built ? 0 : rng_.below(3) / 2; n > 0; --n) add_automaton();
    const bool own = rng_.below(2) == 0;
    out_.plain.own.resize(static_cast<std::size_t>(in_.instances.sentences()));
    for (std::int64_t s = 0; own && s < in_.instances.sentences(); ++s) {
      for (std::uint64_t n = rng_.below(4); n > 0; --n) {
        auto [rule, one] = counting(static_cast<std::int32_t>(in_.instances.length(s)));
        out_.rules.add(rule);
        out_.plain.own[static_cast<std::size_t>(s)].push_back(one);
      }
      out_.rules.end_sentence();
    }
    return std::move(out_);
  }

 private:
  double penalty() { return !hard_ && rng_.below(3) == 0 ? 0.1 + double(rng_.below(20)) / 10 : infinity; }

  // length: 0 for parts everywhere.
  std::pair<PartSet, std::function<bool(const Part&)>> parts(std::int32_t length) {
    std::vector<std::uint8_t> flags;
    for (std::int32_t label = 0; label < out_.rules.labels(); ++label) flags.push_back(rng_.below(2) == 0);
    const std::int32_t set = out_.rules.add_labels(flags);
    if (length == 0 || rng_.below(4) == 0)
      return {out_.rules.everywhere(set), [flags](const Part& part) { return flags[static_cast<std::size_t>(part.label)] != 0; }};
    std::vector<std::int32_t> positions;
    for (std::int32_t t = length; t-- > 0;) {
      if (rng_.below(2) == 0) positions.push_back(t);
    }
    return {out_.rules.at(set, positions), [=](const Part& part) {
              return flags[static_cast<std::size_t>(part.label)] != 0 && std::ranges::count(positions, part.position) > 0;
            }};
  }

  std::pair<Rule, Plain::One> counting(std::int32_t length) {
    Rule rule;
    rule.always = rng_.below(2) == 0;
    auto [when, in_when] = parts(length);
    auto [count, in_count] = parts(length);
    rule.when = when;
    rule.count = count;
    rule.low = static_cast<std::int32_t>(rng_.below(3));
    if (rng_.below(3) > 0) rule.high = rule.low + static_cast<std::int32_t>(rng_.below(3)) - (rng_.below(20) == 0);
    rule.penalty = penalty();
    const auto keeps = [rule, in_when = in_when, in_count = in_count](const std::vector<Part>& chosen) {
      if (!rule.always && std::ranges::none_of(chosen, in_when)) return true;
      const auto sum = std::ranges::count_if(chosen, in_count);
      return sum >= rule.low && sum <= rule.high;
    };
    return {rule, {keeps, rule.penalty}};
  }

  void add_automaton() {
    Automaton one;
    one.states = 1 + static_cast<std::int32_t>(rng_.below(3));
    const std::int32_t labels = out_.rules.labels();
    const std::int32_t read = tracks_.size() == 1 ? labels : tracks_.front();  // the order of two tracks must not matter
    for (std::int32_t k = 0; k < one.states * labels; ++k) {
      if (k % labels >= read) {
        one.next.push_back(k / labels);
        continue;
      }
      one.next.push_back(rng_.below(6) == 0 ? -1 : static_cast<std::int32_t>(rng_.below(static_cast<std::uint64_t>(one.states))));
    }
    for (std::int32_t k = 0; k < one.states; ++k) one.accepting.push_back(rng_.below(3) > 0);
    one.penalty = penalty();
    const auto keeps = [one, labels](const std::vector<Part>& chosen) {
      std::int32_t state = 0;
      for (const Part& part : chosen) {
        if (state >= 0) state = one.next[static_cast<std::size_t>(state * labels + part.label)];
      }
      return state >= 0 && one.accepting[static_cast<std::size_t>(state)] != 0;
    };
    out_.plain.automata.push_back({keeps, one.penalty});
    out_.rules.share(one);
  }

  Rng& rng_;
  const Enumerated& in_;
  bool hard_;
  std::vector<std::int32_t> tracks_;
  Drawn out_;
};

struct Judged {
  bool legal = true;
  double penalty = 0;
  std::vector<std::int32_t> broken;
};

struct Under {
  const Enumerated& in;
  const Drawn& drawn;
  Vector<double> weights = Vector<double>::of(in.model->flat());

  std::vector<Part> parts(Codes output) const {
    std::vector<Part> found;
    in.model->parts(output, found);
    return found;
  }
  Judged judge(std::int64_t s, Codes output) const {
    Judged out;
    const std::vector<Part> chosen = parts(output);
    const auto all = drawn.plain.of(s);
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r]->keeps(chosen)) continue;
      out.broken.push_back(static_cast<std::int32_t>(r));
      if (std::isinf(all[r]->penalty))
        out.legal = false;
      else
        out.penalty += all[r]->penalty;
    }
    return out;
  }
  // The best score minus penalties of all legal outputs; minus infinity if there is none.
  double best(std::int64_t s) const {
    double found = -infinity;
    for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) {
      const Judged judged = judge(s, output.codes);
      if (judged.legal) found = std::max(found, weights.dot(output.features) - judged.penalty);
    }
    return found;
  }
  double value(std::int64_t s, Codes output) const {
    for (const ListedOutput& listed : in.listing[static_cast<std::size_t>(s)]) {
      if (std::ranges::equal(listed.codes, output)) return weights.dot(listed.features) - judge(s, output).penalty;
    }
    return -infinity;
  }

  void check_verdicts() const {
    RuleCheck check(drawn.rules);
    for (const std::int64_t s : in.order()) {
      if (in.instances.length(s) == 0) continue;
      for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) {
        std::vector<std::int32_t> broken;
        const RuleVerdict verdict = check(s, parts(output.codes), &broken);
        const Judged judged = judge(s, output.codes);
        CHECK(verdict.legal == judged.legal && near(verdict.penalty, judged.penalty) && broken == judged.broken);
      }
    }
  }

  // exact: whether the best output must be found, not just a legal one.
  void check_search(const QueueSpec& queue, bool exact, const RuledLimits& most = {}) const {
    const RuledOutputs found = decode_under(*in.model, in.corpus(), queue, {}, drawn.rules, {}, most, go_on);
    for (const std::int64_t s : in.order()) {
      if (in.instances.length(s) == 0) continue;
      const Codes output = in.corpus().part(Codes(found.codes), s);
      const double expected = best(s);
      const auto how = static_cast<Answered>(found.how[static_cast<std::size_t>(s)]);
      CHECK((how == Answered::none) == std::isinf(expected));
      if (how == Answered::none) continue;
      CHECK(judge(s, output).legal);
      const double reached = value(s, output);
      CHECK(exact ? near(reached, expected) : reached <= expected + 1e-9 && !std::isinf(reached));
    }
  }

  // The outputs that a search ends with are different, legal and in the order of their values; if it is exact, they are the best of all.
  void check_list(const QueueSpec& queue, bool exact, std::int64_t n) const {
    const BestOutputs lists = nbest_under(*in.model, in.corpus(), queue, {}, drawn.rules, {}, n, {}, go_on);
    auto code = lists.codes.begin();
    auto score = lists.scores.begin();
    for (const std::int64_t s : in.order()) {
      const std::int64_t count = lists.counts[static_cast<std::size_t>(s)], length = in.instances.length(s);
      std::vector<double> expected;
      for (const ListedOutput& output : in.listing[static_cast<std::size_t>(s)]) {
        const Judged judged = judge(s, output.codes);
        if (judged.legal) expected.push_back(weights.dot(output.features) - judged.penalty);
      }
      std::ranges::sort(expected, std::greater<>());
      if (length == 0) {
        CHECK(count == 1 && *score++ == 0);
        continue;
      }
      const auto most = std::min<std::int64_t>(n, static_cast<std::int64_t>(expected.size()));
      CHECK(exact ? count == most : count <= most && (count > 0) == (most > 0));
      std::set<Output> seen;
      for (std::int64_t k = 0; k < count; ++k, ++score, code += length) {
        const Output output(code, code + length);
        CHECK(judge(s, output).legal && seen.insert(output).second);
        CHECK(k == 0 || *score <= score[-1] + 1e-9);
        if (exact) CHECK(near(*score, value(s, output)) && near(*score, expected[static_cast<std::size_t>(k)]));
      }
    }
    CHECK(code == lists.codes.end() && score == lists.scores.end());
  }

  void check_structure() {
    ConstrainedStructure<double> structure(*in.model, std::as_const(*in.model).over(in.corpus(), weights), drawn.rules);
    for (const std::int64_t s : in.order()) {
      Output found(static_cast<std::size_t>(in.instances.length(s)));
      const double expected = found.empty() ? -infinity : best(s);
      if (std::isinf(expected)) continue;
      structure.open(s);
      structure.best(found);
      CHECK(judge(s, found).legal && near(value(s, found), expected));
    }
  }

  // Rules that the truth breaks do not count while it is learnt, so that a search can always follow it.
  void check_truth(const QueueSpec& spec) {
    ConstrainedStructure<double> structure(*in.model, std::as_const(*in.model).over(in.corpus(), weights), drawn.rules);
    const auto space = structure.space(spec);
    const auto queue = make_queue(spec);
    for (const std::int64_t s : in.order()) {
      if (in.instances.length(s) == 0) continue;
      space->open(s, true);
      Search search(*space, *queue);
      search.run();
      const std::vector<NodeId> good = search.forced();
      CHECK(!good.empty());
      for (const NodeId id : good) {
        Output found(static_cast<std::size_t>(in.instances.length(s)));
        space->codes(search.tree().path(id), found);
        CHECK(search.tree()[id].goal && near(space->regret(search.tree(), id), space->initial_regret()));
        if (space->initial_regret() == 0) CHECK(std::ranges::equal(found, in.corpus().gold_of(s)));
      }
    }
  }
};

// The perceptron of Punyakanok, Roth, Yih & Zimak 2005, Fig. 1b: learning under rules is learning from the list of all legal outputs.
void check_learning(const Enumerated& in, Rng& rng) {
  const Drawn drawn = Draw(rng, in, true)();
  const Under under{in, drawn};
  Listing legal = in.listing;
  std::vector<std::int64_t> order;
  for (const std::int64_t s : in.order()) {
    std::erase_if(legal[static_cast<std::size_t>(s)], [&](const ListedOutput& output) { return !under.judge(s, output.codes).legal; });
    const auto is_gold = [&](const ListedOutput& output) { return std::ranges::equal(output.codes, in.corpus().gold_of(s)); };
    if (std::ranges::any_of(legal[static_cast<std::size_t>(s)], is_gold)) order.push_back(s);
  }
  const auto learnt = [&](const Model<double>& initial, const Rules* rules) {
    OnlineTrainer<double> trainer(initial, OnlineLearners<double>::make("perceptron", {}), 0);
    for (int epoch = 0; epoch < 3; ++epoch) trainer.epoch(in.corpus(), order, {}, {}, go_on, rules);
    return std::pair(trainer.last()->flat(), trainer.averaged()->flat());
  };
  const auto [last, average] = learnt(*in.model, &drawn.rules);
  const auto [listed_last, listed_average] = learnt(ListedModel<double>(legal, in.model->flat()), nullptr);
  CHECK(last.size() == listed_last.size());
  for (std::size_t i = 0; i < last.size(); ++i) CHECK(near(last[i], listed_last[i]) && near(average[i], listed_average[i]));
}

void check_rules(const Enumerated& in, Rng& rng) {
  const bool exact = in.all_ways;
  for (int round = 0; round < (in.built ? 2 : 10); ++round) {
    if (in.exact) check_learning(in, rng);
    const Drawn drawn = Draw(rng, in)();
    Under under{in, drawn};
    under.check_verdicts();
    under.check_search({"exact"}, exact);
    under.check_search({"exact"}, false, {.nodes = 1, .width = unbounded});  // too few nodes: the widest beam
    under.check_search({"exact"}, exact, {.steps = 1});                      // not looking ahead: an unbounded beam
    for (const char* by : {"operations", "prefix"}) {
      for (const bool merge : {true, false}) under.check_search({"beam", unbounded, by, merge}, exact);
      for (const std::int64_t width : {1, 2, 5}) under.check_search({"beam", width, by}, false, {.width = width});
    }
    for (const char* name : {"greedy", "best-first", "depth-first", "breadth-first"}) under.check_search({name}, false);
    under.check_search({"beam", 3, "pending"}, false);
    if (in.built) under.check_list({"beam", unbounded, "operations"}, exact, 5);  // elsewhere, beginnings of outputs are merged
    for (const std::int64_t width : {1, 3}) under.check_list({"beam", width, "operations"}, false, 2);
    if (in.exact) under.check_structure();
    under.check_truth({"beam", 2, "operations"});
    under.check_truth({"beam", unbounded, "prefix"});
    under.check_truth({"best-first"});
  }
}

}  // namespace

int main() {
  Rng rng(21);
  for (const Case& in : enumerated(rng)) {
    if (structure_operations().at(in->structure).contains("a search space")) check_rules(*in, rng);
  }
  return 0;
}
