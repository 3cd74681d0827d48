"""The words and sentence patterns of the generated reviews.

Slots: `{a}` aspect, `{o}` opinion, `{i}` intensifier (often empty), and the names of the lists in `FILLERS`.
A star marks a negation.
"""

POSITIVE = (
    "superb brilliant charming gripping delightful moving clever dazzling funny heartfelt graceful inventive "
    "touching elegant thrilling tender witty stunning sincere memorable polished vivid sharp joyful rousing "
    "believable haunting stylish refreshing wonderful magnificent lively subtle warm inspired"
).split()

NEGATIVE = (
    "dreadful boring clumsy hollow tedious shallow wooden lifeless messy bland painful sloppy grating feeble "
    "predictable stale ugly awkward dull pointless cheap muddled annoying forgettable weak ridiculous flat dreary "
    "confusing laughable tiresome pathetic stilted crude insipid"
).split()

ASPECTS = (
    "acting plot script dialogue music soundtrack camerawork editing pacing ending opening humour romance suspense "
    "lighting scenery casting direction storytelling choreography narration costume animation finale"
).split()

INTENSIFIERS = (
    "very truly rather quite remarkably utterly especially really extremely surprisingly fairly completely "
    "genuinely thoroughly"
).split()

FILLERS = {
    "person": (
        "detective nurse sailor teacher widow soldier painter lawyer farmer pilot journalist baker thief princess "
        "boxer surgeon gardener musician orphan spy judge waitress inventor fisherman"
    ).split(),
    "place": (
        "harbour village castle desert island hospital prison theatre forest railway school lighthouse market "
        "mountain embassy factory circus monastery vineyard suburb"
    ).split(),
    "thing": (
        "letter map violin necklace diary photograph suitcase key painting clock bicycle telephone ticket lantern "
        "briefcase mirror"
    ).split(),
    "time": "winter summer decade weekend century spring autumn month night year".split(),
    "relative": "sister brother uncle neighbour cousin husband wife grandmother flatmate daughter".split(),
    "day": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "kind": "western thriller comedy musical documentary drama mystery biopic".split(),
    "act": "finds steals loses repairs buys hides sells inherits".split(),
    "number": "two three four five six seven eight nine ten twelve".split(),
}

PLAIN = (
    "the {a} was {i} {o}",
    "I found the {a} {i} {o}",
    "the {a} felt {i} {o} to me",
    "its {a} remains {i} {o} throughout",
    "the {a} struck me as {i} {o}",
    "the {a} turned out {i} {o}",
    "you will see how {o} the {a} is",
    "the {a} is {i} {o} from start to finish",
    "I would describe the {a} as {i} {o}",
    "everyone could call the {a} {i} {o}",
    "the {a} seemed {i} {o} in every scene",
    "we get {i} {o} {a} here",
)

NEGATED = (
    "the {a} was *not {i} {o}",
    "the {a} *wasn't {i} {o}",
    "the {a} *isn't {i} {o} at any point",
    "I *never found the {a} {i} {o}",
    "*nothing about the {a} was {o}",
    "*nobody could call the {a} {o}",
    "the {a} did *not feel {i} {o} to me",
    "I would *not describe the {a} as {o}",
    "the {a} *never seemed {i} {o} in any scene",
    "you *cannot call the {a} {o}",
    "the {a} was *hardly {i} {o}",
    "there was *no {i} {o} {a} here",
)

# `{m}` is the clause that counts, `{d}` the one that is conceded.
CONTRASTS = (
    "although {d}, {m}",
    "though {d}, {m}",
    "even though {d}, {m}",
    "while {d}, {m}",
    "{m}, although {d}",
    "{m}, even though {d}",
)

NEUTRAL = (
    "the story follows a {person} who moves to a {place}",
    "it was filmed in a {place} over one {time}",
    "I watched it with my {relative} on {day}",
    "a {person} {act} a {thing} and travels to the {place}",
    "the {kind} runs for about {number} hours with credits",
    "my {relative} borrowed the disc last {time}",
    "halfway through, the {person} meets a {person} near the {place}",
    "the director made {number} films before this {kind}",
    "most of it takes place in a {place} during one {time}",
    "there are {number} songs and a short dance at the {place}",
    "the {person} keeps a {thing} under the bed",
    "it opened on a {day} in {number} cities",
    "the book it is based on has {number} chapters",
    "later the {person} {act} the {thing} again",
    "we saw it at the cinema beside the {place}",
    "the cast includes a former {person} and her {relative}",
    "this is the second {kind} by the same studio",
    "the {thing} belonged to a {person} long ago",
)
