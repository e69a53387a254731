"""Who is who: put mentions, from left to right, into the cluster of a person mentioned before, or into a new one.

An action is the number of a cluster, so a weight for a number would mean nothing. `features` compares the mention with the members
of the cluster instead. A decision is right if the same person founded the cluster, or if it is new and the person has founded none.
"""

import random

import riata

PEOPLE = [("Anna", "Berg", "she"), ("Tom", "Falk", "he"), ("Eva", "Lund", "she"), ("Nils", "Holm", "he"), ("Ida", "Falk", "she")]


def story(draw):
    """Mentions, and who they are. A pronoun is the last person that it can be."""
    mentions, who, cast = [], [], draw.sample(range(len(PEOPLE)), 3)
    for _ in range(10):
        person = draw.choice(cast)
        first, last, pronoun = PEOPLE[person]
        recent = next((p for p in reversed(who) if PEOPLE[p][2] == pronoun), None)
        forms = [f"{first} {last}", first, pronoun][: 1 + (person in who) + (recent == person)]
        mentions.append(draw.choice(forms))
        who.append(person)
    return mentions, who


class Tracking(riata.Problem):
    def initial(self, x): return ()  # the cluster of every mention so far
    def actions(self, x, s): return range(max(s, default=-1) + 2)
    def apply(self, x, s, a): return (*s, a)
    def is_goal(self, x, s): return len(s) == len(x)
    def features(self, x, s, a):
        mention, members = x[len(s)], [x[i] for i, c in enumerate(s) if c == a]
        kind = "pronoun" if mention in ("he", "she") else "name"
        if not members:
            return [f"{kind} new"]
        gender = {"she" if m.split()[0] in ("Anna", "Eva", "Ida", "she") else "he" for m in (mention, members[0])}
        same = set(mention.split()) & {word for m in members for word in m.split()}
        later = len(set(s[max(i for i, c in enumerate(s) if c == a) + 1 :]))  # clusters mentioned since
        return [f"{kind} agrees {len(gender) == 1}", f"{kind} shares {len(same)} of {len(mention.split())}", (f"{kind} later", later)]
    def regret(self, x, s, y):
        wrong = 0
        for i, c in enumerate(s):
            founders = {s[j]: y[j] for j in reversed(range(i))}
            wrong += founders.get(c) != (y[i] if y[i] in founders.values() else None)
        return wrong
    def loss(self, x, y, y_hat): return self.regret(x, y_hat, y) / len(x)


def stories(count, seed):
    draw = random.Random(seed)
    return zip(*[story(draw) for _ in range(count)], strict=True)


(X, Y), (unseen, truth) = stories(150, seed=0), stories(100, seed=1)
for when, size in (("before", 1), ("after", len(X))):
    tracker = riata.Predictor(Tracking(), epochs=10).fit(X[:size], Y[:size])
    print(f"{when} learning ({size} stories): {tracker.score(unseen, truth):.1%} of unseen mentions right")
