"""What a configuration may hold.

Every section is a frozen pydantic model: unknown keys and impossible values are refused by name, and the
defaults stand here once. A configuration file holds only what differs from them.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=1, le=65_536)]
Rate = Annotated[float, Field(ge=0.0, lt=1.0, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0.0, lt=1.0, allow_inf_nan=False)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class DataConfig(_Section):
    """Where the reviews come from and how they become sequences of ids.

    Attributes:
        source: `"imdb"` for the IMDB reviews, `"planted"` for generated ones.
        path: the raw IMDB archive or its unpacked folder. Without it, the reviews come through
            `keras.datasets.imdb` (its cache, else a download).
        word_index: the IMDB word index, a JSON file of words to ranks.
        vocabulary_size: ids run from 0 to `vocabulary_size - 1`; the first four are special.
        sequence_length: the most ids that the model reads of a review.
        padding: the side on which short reviews are padded, as in `keras.utils.pad_sequences`.
        truncating: the side on which long reviews are cut, as in `keras.utils.pad_sequences`.
        validation: `"split"` cuts a seeded share from train; `"test"` is the protocol of the official
            Keras example, which watches the test split during training.
        validation_share: the share of train that `"split"` cuts.
        train_reviews: how many reviews `"planted"` generates to train on (validation included).
        test_reviews: how many reviews `"planted"` generates to test on.
    """

    source: Literal["imdb", "planted"] = "imdb"
    path: Annotated[str, Field(min_length=1)] | None = None
    word_index: Annotated[str, Field(min_length=1)] | None = None
    vocabulary_size: Annotated[int, Field(ge=5, le=10_000_000)] = 20000
    sequence_length: Annotated[int, Field(ge=2, le=65_536)] = 200
    padding: Literal["pre", "post"] = "post"
    truncating: Literal["pre", "post"] = "pre"
    validation: Literal["split", "test"] = "split"
    validation_share: Share = 0.1
    train_reviews: Annotated[int, Field(ge=20, le=200_000)] = 6000
    test_reviews: Annotated[int, Field(ge=10, le=50_000)] = 1000


class ModelConfig(_Section):
    """The classifier. Names follow `keras.layers.MultiHeadAttention` and the official Keras example.

    Attributes:
        embed_dim: width of the token and position embeddings and of every block.
        position_start: what the learned position embeddings start from, uniform noise or sine waves.
        num_heads: attention heads in each block.
        key_dim: width of one head.
        ff_dim: width of the feed-forward part's inner layer.
        num_blocks: how many Transformer blocks are stacked.
        dropout: rate inside the blocks and around the hidden layer.
        word_dropout: share of words that training replaces by the unknown id.
        masked: whether padding is masked everywhere. The official example masks nothing.
        pooling: `"mean"`, or `"attention"` for additive attention pooling.
        pooling_dim: inner width of attention pooling.
        hidden_dim: width of the layer between pooling and the logits; 0 leaves it out.
    """

    embed_dim: Count = 32
    position_start: Literal["uniform", "sine"] = "uniform"
    num_heads: Count = 2
    key_dim: Count = 16
    ff_dim: Count = 32
    num_blocks: Count = 1
    dropout: Rate = 0.1
    word_dropout: Rate = 0.1
    masked: bool = True
    pooling: Literal["mean", "attention"] = "attention"
    pooling_dim: Count = 32
    hidden_dim: Annotated[int, Field(ge=0, le=65_536)] = 0


class TrainingConfig(_Section):
    """How the classifier is fitted.

    Attributes:
        epochs: the most passes over the training reviews.
        batch_size: reviews in a batch.
        learning_rate: of the Adam optimizer.
        decay_epochs: over how many of the last `epochs` the learning rate falls towards 0 in equal steps.
        weight_decay: of the AdamW optimizer; 0 means plain Adam.
        patience: epochs without a better validation loss before training stops; 0 never stops early.
        keep: the weights that are saved, those of the epoch with the `"best"` validation loss or the `"last"`.
        bucketed: batches of reviews of similar length, so that little padding is computed. Only masked,
            back-padded models can use it: for the others padding is part of the input.
        tensorboard: also write TensorBoard logs into the run folder.
    """

    epochs: Count = 10
    batch_size: Count = 32
    learning_rate: Annotated[float, Field(gt=0.0, le=10.0, allow_inf_nan=False)] = 0.001
    decay_epochs: Annotated[int, Field(ge=0)] = 0
    weight_decay: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 0.0
    patience: Annotated[int, Field(ge=0)] = 2
    keep: Literal["best", "last"] = "best"
    bucketed: bool = True
    tensorboard: bool = False


class Config(_Section):
    """Everything that decides a run.

    Attributes:
        seed: decides the validation split, the generated reviews, the initial weights and every shuffle.
        data: where the reviews come from.
        model: the classifier.
        training: how it is fitted.
    """

    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    data: DataConfig = DataConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()

    @model_validator(mode="after")
    def _parts_fit(self) -> "Config":
        if self.data.source == "planted" and (self.data.path or self.data.word_index):
            raise ValueError("data.path and data.word_index belong to data.source 'imdb', not to 'planted'")
        sizes = [name for name in ("train_reviews", "test_reviews") if self._differs(name)]
        if self.data.source == "imdb" and sizes:
            raise ValueError(f"data.{sizes[0]} belongs to data.source 'planted'; IMDB has its own number of reviews")
        return self

    def _differs(self, name: str) -> bool:
        return getattr(self.data, name) != type(self.data).model_fields[name].default

    @property
    def fixed_width(self) -> bool:
        """Whether every batch is padded to `data.sequence_length`.

        Without a mask the model reads the padding, and with padding in front a word's position depends on
        it: both must see the same amount of it always.
        """
        return not (self.model.masked and self.data.padding == "post")
