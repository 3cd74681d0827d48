import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.imdb import vocabulary_from_word_index
from data.vocabulary import UNKNOWN, Vocabulary
from errors import UserError
from tests.conftest import WORD_INDEX

SMALL = vocabulary_from_word_index(WORD_INDEX, size=10)  # ids 4 ... 9; "rare" has rank 7, id 10, and is cut off


def test_ids_are_ranks_plus_three():
    assert SMALL.encode("the").ids == [1, 4]
    assert SMALL.encode("The film was GOOD!").ids == [1, 4, 5, 6, 9]


def test_special_ids_decode_to_names():
    assert SMALL.decode([0, 1, 2, 3, 4, 5]) == ["[PAD]", "[START]", "[OOV]", "[UNUSED]", "the", "film"]


def test_no_word_has_a_special_id():
    assert min(SMALL.word_id(word) for word in WORD_INDEX if word != "rare") == 4


def test_line_break_tags_are_words_and_punctuation_separates():
    assert SMALL.encode("BAD.<br /><br />Bad,bad").ids == [1, 8, 7, 7, 8, 8]


def test_word_outside_the_index_is_dropped_but_stays_visible_as_unseen():
    encoding = SMALL.encode("zzqx film")
    assert encoding.ids == [1, 5]
    assert [(word.text, word.start, word.end, word.reason) for word in encoding.unseen] == [
        ("zzqx", 0, 4, "not_in_index")
    ]
    assert encoding.word_count == 2


def test_word_that_the_size_cuts_off_becomes_unknown_and_keeps_its_spelling():
    token = SMALL.encode("Rare film").tokens[1]
    assert (token.text, token.id, token.in_vocabulary) == ("Rare", UNKNOWN, False)


def test_size_counts_ids_not_words():
    words = tuple(f"w{rank}" for rank in range(1, 20_001))
    vocabulary = Vocabulary(words, 20_000)
    assert vocabulary.word_id("w19996") == 19_999
    assert vocabulary.word_id("w19997") == UNKNOWN


def test_only_the_official_separators_separate():
    words = Vocabulary(("don't", "a\x85b", "c\xa0d", "e"), 8)
    assert words.encode("don't a\x85b c\xa0d\te\ne").ids == [1, 4, 5, 6, 7, 7]


def test_places_count_code_points():
    encoding = SMALL.encode("🎬🎬 film — Bad")
    assert [(token.start, token.end) for token in encoding.tokens[1:]] == [(3, 7), (10, 13)]


@pytest.mark.parametrize("unlisted", ["drop", "unknown"])
@given(text=st.text())
def test_any_text_encodes_with_its_own_spelling_in_its_own_place(unlisted, text):
    vocabulary = Vocabulary(SMALL.words, 10, unlisted)
    encoding = vocabulary.encode(text)
    assert encoding.ids == vocabulary.encode_ids(text)
    assert all(text[token.start : token.end] == token.text for token in encoding.tokens[1:])
    assert all(text[word.start : word.end] == word.text for word in encoding.unseen)
    assert len(encoding.tokens) - 1 + len(encoding.unseen) == encoding.word_count


@given(st.lists(st.integers(0, 9), min_size=1))
def test_review_known_by_ids_gets_a_text_that_its_places_fit(ids):
    encoding = SMALL.encoding_of_ids(ids)
    assert encoding.ids == ids
    placed = [token for token in encoding.tokens if token.start is not None]
    assert all(encoding.text[token.start : token.end] == token.text for token in placed)


def test_saved_vocabulary_encodes_the_same(tmp_path):
    path = tmp_path / "vocabulary.json"
    path.write_text(SMALL.to_json(), encoding="utf-8")
    assert Vocabulary.from_json(path) == SMALL
    assert Vocabulary.from_json(path).encode("Rare film").ids == [1, 2, 5]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"words": "abc", "size": 9, "unlisted": "drop"}',
        '{"words": []}',
        '{"words": ["a", "a"], "size": 9, "unlisted": "drop"}',
    ],
)
def test_file_that_is_no_vocabulary_is_refused(tmp_path, content):
    path = tmp_path / "vocabulary.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="not a vocabulary"):
        Vocabulary.from_json(path)


@pytest.mark.parametrize(("ids", "position"), [([1, 4, 10], 2), ([-1], 0)])
def test_id_without_an_embedding_is_refused_with_its_position(ids, position):
    with pytest.raises(UserError, match=rf"{ids[position]} at position {position}"):
        SMALL.check_ids(ids)
