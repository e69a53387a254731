"""The slow twin of riata.scoring.spans: conlleval's own loop, one token at a time, with its flag.

Written after the control flow of conlleval (perl, version 2004-01-26); `end_of_chunk` and
`start_of_chunk` list the script's rules one by one.

Differs, as riata.scoring.spans does: E always ends a chunk, so (E, B) also starts one; S is always a
chunk of one token; L is read as E and U as S. These rules stand apart, in `extra_end` and
`extra_start`; `extended=False` leaves them out, and is the script. Each call is one sentence, a file
of its own. A type `0` is a type (to the script, an empty one).
"""

from collections import Counter

BILOU = {"L": "E", "U": "S"}


def split_tag(tag, extended):
    prefix, _, rest = tag.partition("-")
    if extended and prefix in BILOU:
        prefix = BILOU[prefix]
    return prefix, rest


def end_of_chunk(prev, cur, prev_type, cur_type):
    end = False
    if prev == "B" and cur == "B":
        end = True
    if prev == "B" and cur == "O":
        end = True
    if prev == "I" and cur == "B":
        end = True
    if prev == "I" and cur == "O":
        end = True
    if prev == "E" and cur == "E":
        end = True
    if prev == "E" and cur == "I":
        end = True
    if prev == "E" and cur == "O":
        end = True
    if prev != "O" and prev != "." and prev_type != cur_type:
        end = True
    if prev == "]":
        end = True
    if prev == "[":
        end = True
    return end


def start_of_chunk(prev, cur, prev_type, cur_type):
    start = False
    if prev == "B" and cur == "B":
        start = True
    if prev == "I" and cur == "B":
        start = True
    if prev == "O" and cur == "B":
        start = True
    if prev == "O" and cur == "I":
        start = True
    if prev == "E" and cur == "E":
        start = True
    if prev == "E" and cur == "I":
        start = True
    if prev == "O" and cur == "E":
        start = True
    if cur != "O" and cur != "." and prev_type != cur_type:
        start = True
    if cur == "[":
        start = True
    if cur == "]":
        start = True
    return start


def extra_end(prev, cur):
    return prev == "E" or prev == "S" or cur == "S"


def extra_start(prev, cur):
    if cur == "S":
        return True
    if prev == "E" and cur == "B":
        return True
    return prev == "S" and cur in ("B", "I", "E")


def count_sentence(gold_tags, predicted_tags, *, extended=True):
    """Counters by type (correct, found, gold), and the number of right tags, of one sentence."""
    correct, found, gold = Counter(), Counter(), Counter()
    right_tags = 0
    in_correct = False
    last_gold, last_gold_type = "O", ""
    last_guess, last_guess_type = "O", ""

    for gold_tag, predicted_tag in zip(gold_tags, predicted_tags, strict=True):
        gold_prefix, gold_type = split_tag(gold_tag, extended)
        guess_prefix, guess_type = split_tag(predicted_tag, extended)

        gold_ends = end_of_chunk(last_gold, gold_prefix, last_gold_type, gold_type)
        guess_ends = end_of_chunk(last_guess, guess_prefix, last_guess_type, guess_type)
        gold_starts = start_of_chunk(last_gold, gold_prefix, last_gold_type, gold_type)
        guess_starts = start_of_chunk(last_guess, guess_prefix, last_guess_type, guess_type)
        if extended:
            gold_ends = gold_ends or extra_end(last_gold, gold_prefix)
            guess_ends = guess_ends or extra_end(last_guess, guess_prefix)
            gold_starts = gold_starts or extra_start(last_gold, gold_prefix)
            guess_starts = guess_starts or extra_start(last_guess, guess_prefix)

        if in_correct:
            if gold_ends and guess_ends and last_guess_type == last_gold_type:
                in_correct = False
                correct[last_gold_type] += 1
            elif gold_ends != guess_ends or guess_type != gold_type:
                in_correct = False

        if gold_starts and guess_starts and guess_type == gold_type:
            in_correct = True
        if gold_starts:
            gold[gold_type] += 1
        if guess_starts:
            found[guess_type] += 1
        if gold_tag == predicted_tag:
            right_tags += 1

        last_gold, last_gold_type = gold_prefix, gold_type
        last_guess, last_guess_type = guess_prefix, guess_type

    if in_correct:
        correct[last_gold_type] += 1
    return correct, found, gold, right_tags
