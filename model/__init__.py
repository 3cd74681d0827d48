"""Keras layers and the classifier built from them; importing this package registers the layers."""

from model.classifier import build_classifier
from model.embedding import PaddingMask, TokenAndPositionEmbedding, WordDropout
from model.pooling import AttentionPooling, MeanPooling
from model.transformer_block import TransformerBlock

__all__ = [
    "AttentionPooling",
    "MeanPooling",
    "PaddingMask",
    "TokenAndPositionEmbedding",
    "TransformerBlock",
    "WordDropout",
    "build_classifier",
]
