import numpy as np
import pytest

from configs.schema import Config, DataConfig, ModelConfig, TrainingConfig
from data.batches import Batches, pad
from data.corpus import Sequences, Split, window

LENGTHS = np.random.default_rng(0).integers(1, 90, size=500)
SPLIT = Split(Sequences.from_lists([[place + 4] * length for place, length in enumerate(LENGTHS)]), np.arange(500))


def configure(masked=True, padding="post", truncating="pre", length=60, **training) -> Config:
    return Config(
        data=DataConfig(sequence_length=length, padding=padding, truncating=truncating),
        model=ModelConfig(masked=masked),
        training=TrainingConfig(batch_size=16, **training),
    )


@pytest.mark.parametrize(
    ("padding", "truncating", "expected"),
    [
        ("pre", "pre", [[3, 4, 5], [0, 0, 7]]),  # what the official example does
        ("post", "pre", [[3, 4, 5], [7, 0, 0]]),
        ("post", "post", [[1, 2, 3], [7, 0, 0]]),
    ],
)
def test_padding_and_truncating(padding, truncating, expected):
    config = configure(False, padding, truncating, length=3)
    assert pad([np.arange(1, 6), np.array([7])], config).tolist() == expected


@pytest.mark.parametrize("truncating", ["pre", "post"])
@pytest.mark.parametrize("length", [1, 3, 4, 9])
def test_window_is_what_padding_keeps(truncating, length):
    sequence = np.arange(1, length + 1)
    config = configure(truncating=truncating, length=4)
    expected = sequence[window(length, 4, truncating)].tolist()
    assert pad([sequence], config)[0].tolist() == (expected if length > 1 else [1, 0])


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("bucketed", [True, False])
def test_each_review_is_in_one_batch_with_its_label(shuffle, bucketed):
    batches = list(Batches(SPLIT, configure(bucketed=bucketed), shuffle))
    labels = np.concatenate([labels for _, labels in batches])
    assert sorted(labels.tolist()) == list(range(500))
    assert all((ids[:, 0] == labels + 4).all() for ids, labels in batches)


def test_bucketing_computes_little_padding():
    def padding_share(bucketed):
        batches = list(Batches(SPLIT, configure(bucketed=bucketed), shuffle=True))
        return sum((ids == 0).sum() for ids, _ in batches) / sum(ids.size for ids, _ in batches)

    assert padding_share(bucketed=True) < 0.1 < 0.2 < padding_share(bucketed=False)


def test_model_that_sees_padding_always_sees_the_full_width():
    for config in (configure(masked=False), configure(padding="pre")):
        assert {ids.shape[1] for ids, _ in Batches(SPLIT, config, shuffle=True)} == {60}


def test_epochs_differ_and_a_seed_decides_them():
    first, second = (Batches(SPLIT, configure(), shuffle=True) for _ in range(2))
    orders = [np.concatenate(batches.plan()).tolist() for batches in (first, first, second)]
    assert orders[0] == orders[2] != orders[1]


def test_dataset_takes_batches_of_any_width():
    widths = [ids.shape[1] for ids, _ in Batches(SPLIT, configure(), shuffle=True).dataset()]
    assert len(widths) == 32
    assert len(set(widths)) > 5
