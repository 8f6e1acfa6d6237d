"""English stems: the rules of Martin Porter (1980), with the usual y and a few irregular forms.

SQLite's own stemmer works inside its index alone, and the first search of a process has none.
"""

from __future__ import annotations

_VOWELS = "aeiou"
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"),
    ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"),
    ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
    ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "ion", "al", "er", "ic", "ou",
)  # fmt: skip
#: Forms that share no stem, in groups.
_IRREGULAR = (
    "be is are was were been being", "begin began begun", "break broke broken",
    "bring brought", "build built", "buy bought", "catch caught", "choose chose chosen",
    "come came", "do did done", "draw drew drawn", "drive drove driven", "eat ate eaten",
    "fall fell fallen", "feel felt", "find found", "fly flew flown", "forget forgot forgotten",
    "freeze froze frozen", "get got gotten", "give gave given", "go went gone", "grow grew grown",
    "hide hid hidden", "hold held", "keep kept", "know knew known", "lead led",
    "leave left", "lose lost", "make made", "mean meant", "meet met", "pay paid", "rebuild rebuilt",
    "ride rode ridden", "rise rose risen", "run ran", "say said", "see saw seen", "sell sold",
    "send sent", "shake shook shaken", "shrink shrank shrunk", "sing sang sung", "sleep slept",
    "speak spoke spoken", "spend spent", "stand stood", "steal stole stolen", "stick stuck",
    "swim swam swum", "take took taken", "teach taught", "tell told", "think thought",
    "throw threw thrown", "understand understood", "wake woke woken", "wear wore worn", "win won",
    "write wrote written", "overwrite overwrote overwritten", "child children", "man men",
    "woman women", "person people", "foot feet", "tooth teeth", "mouse mice", "index indices",
    "vertex vertices", "matrix matrices", "criterion criteria", "life lives", "wife wives",
    "half halves", "leaf leaves", "knife knives", "shelf shelves",
)  # fmt: skip
_groups: dict[str, tuple[str, ...]] = {}


def relatives(word: str) -> tuple[str, ...]:
    """Other forms of an irregular word; none for most."""
    if not _groups:
        for line in _IRREGULAR:
            group = tuple(line.split())
            _groups.update((form, group) for form in group)
    return tuple(form for form in _groups.get(word, ()) if form != word)


def stem(word: str) -> str:
    """The stem of a folded word; words of other letters, short ones and numbers stay."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    for suffix, better in _STEP_2:
        if word.endswith(suffix):
            word = _replaced(word, suffix, better)
            break
    for suffix, better in _STEP_3:
        if word.endswith(suffix):
            word = _replaced(word, suffix, better)
            break
    word = _ending(word)
    if word[-1] == "e":
        size = _measure(word[:-1])
        if size > 1 or (size == 1 and not _short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    # `deployment` would keep the y that `deploy` and `deploying` lose.
    return f"{word[:-1]}i" if word[-1] == "y" and _has_vowel(word[:-1]) else word


def common_start(stemmed: str) -> str:
    """What every form of a stem begins with: its last letter may stand for another one."""
    return stemmed[:-1] if len(stemmed) > 2 and stemmed[-1] in "ei" else stemmed


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] != "s" else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        rest = word[: -len(suffix)]
        if word.endswith(suffix) and _has_vowel(rest):
            break
    else:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return f"{rest}e"
    if len(rest) > 1 and rest[-1] == rest[-2] and rest[-1] not in "aeioulsz":
        return rest[:-1]
    return f"{rest}e" if _measure(rest) == 1 and _short(rest) else rest


def _ending(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            fits = suffix != "ion" or rest.endswith(("s", "t"))
            return rest if fits and _measure(rest) > 1 else word
    return word


def _replaced(word: str, suffix: str, better: str) -> str:
    rest = word[: -len(suffix)]
    return f"{rest}{better}" if _measure(rest) > 0 else word


def _is_vowel(word: str, at: int) -> bool:
    letter = word[at]
    return letter in _VOWELS or (letter == "y" and at > 0 and not _is_vowel(word, at - 1))


def _has_vowel(word: str) -> bool:
    return any(_is_vowel(word, at) for at in range(len(word)))


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    count, before = 0, False
    for at in range(len(word)):
        vowel = _is_vowel(word, at)
        count += before and not vowel
        before = vowel
    return count


def _short(word: str) -> bool:
    """Whether a word ends in consonant, vowel, consonant, the last not w, x or y."""
    return (
        len(word) > 2
        and not _is_vowel(word, len(word) - 3)
        and _is_vowel(word, len(word) - 2)
        and not _is_vowel(word, len(word) - 1)
        and word[-1] not in "wxy"
    )
