"""Fitting a classifier with Keras's own callbacks, ended in order by Ctrl-C."""

import signal
import sys
import threading
import time

import keras
import numpy as np

from configs.schema import Config
from data.batches import Batches
from data.corpus import Corpus, Split
from errors import UserError
from run_folder import RunWriter


def fit(model: keras.Model, corpus: Corpus, config: Config, files: RunWriter, interruption: "Interruption") -> float:
    """Fits the model; it ends with the weights that `config.training.keep` names.

    Args:
        model: the classifier; it is compiled here.
        corpus: train and validation are used, test is not.
        config: the `training` section.
        files: where the history and, by option, TensorBoard's logs go.
        interruption: ends training early when it is asked to.

    Returns:
        Seconds spent, validation included.

    Raises:
        UserError: training diverged, so that the weights to keep are not numbers.
    """
    settings = config.training
    model.compile(optimizer=_optimizer(config), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    started = time.perf_counter()
    model.fit(
        Batches(corpus.train, config, shuffle=True).dataset(),
        validation_data=Batches(corpus.validation, config, shuffle=False).dataset(),
        epochs=settings.epochs,
        callbacks=[interruption, *_callbacks(config, files)],
        shuffle=False,  # Batches shuffles
        verbose=1 if sys.stdout.isatty() else 2,
    )
    if not all(np.isfinite(weight).all() for weight in model.get_weights()):
        raise UserError("training diverged: the loss became NaN or infinite; try a lower training.learning_rate")
    if files.drop_epochs_without_numbers():
        print("warning: training diverged; the weights of the best epoch before are kept", file=sys.stderr)
    return time.perf_counter() - started


def predict(model: keras.Model, split: Split, config: Config) -> np.ndarray:
    """Returns the class probabilities of a split, float32 `(count, classes)`, in its order."""
    batches = Batches(split, config, shuffle=False)
    predictions = model.predict(batches.dataset(), verbose=1 if sys.stdout.isatty() else 0)
    restored = np.empty_like(predictions)
    restored[np.concatenate(batches.plan())] = predictions
    return restored


def _optimizer(config: Config) -> keras.optimizers.Optimizer:
    settings = config.training
    if settings.weight_decay:
        return keras.optimizers.AdamW(settings.learning_rate, weight_decay=settings.weight_decay)
    return keras.optimizers.Adam(settings.learning_rate)


def _learning_rate(config: Config, epoch: int) -> float:
    """Constant, then falling in equal steps over the last `decay_epochs` epochs; `epoch` counts from 0."""
    settings = config.training
    return settings.learning_rate * min(1.0, (settings.epochs - epoch) / (settings.decay_epochs + 1))


def _callbacks(config: Config, files: RunWriter) -> list[keras.callbacks.Callback]:
    settings = config.training
    callbacks: list[keras.callbacks.Callback] = []
    if settings.decay_epochs:
        callbacks.append(keras.callbacks.LearningRateScheduler(lambda epoch, _: _learning_rate(config, epoch)))
    callbacks += [keras.callbacks.TerminateOnNaN(), keras.callbacks.CSVLogger(files.history)]
    patience, best = settings.patience or settings.epochs, settings.keep == "best"
    callbacks.append(keras.callbacks.EarlyStopping("val_loss", patience=patience, restore_best_weights=best))
    if settings.tensorboard:
        callbacks.append(keras.callbacks.TensorBoard(files.tensorboard))
    return callbacks


class Interruption(keras.callbacks.Callback):
    """Ends training in order when it is asked to, so that its result is measured and saved.

    As a context it handles Ctrl-C and the signals of a closing terminal or a batch system: the first one ends training
    after the current batch, a second one aborts.
    """

    def __init__(self):
        super().__init__()
        self.requested = False

    def on_train_batch_end(self, batch, logs=None):
        if self.requested:
            self.model.stop_training = True

    def __enter__(self) -> "Interruption":
        signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        main = threading.current_thread() is threading.main_thread()  # only there may signals be handled
        self._previous = {number: signal.signal(number, self._request) for number in (signals if main else ())}
        return self

    def __exit__(self, *_) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _request(self, number, frame) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        print("\nending training; its result so far is measured and saved (Ctrl-C again to abort)", file=sys.stderr)
